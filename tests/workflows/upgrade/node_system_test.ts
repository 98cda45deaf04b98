import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { readNodeSystem } from "../../../workflows/upgrade/node_system.ts";
import { type FakeNode, fakeNodes } from "../../_fake.ts";
import {
  type FakeSystem,
  otherSchematic,
  plainSchematic,
  systemHandlers,
} from "../operations/_system.ts";

async function read(system: FakeSystem, handlers: FakeNode = {}) {
  const a = { ...systemHandlers(() => system), ...handlers };
  return await readNodeSystem(await fakeNodes({ a }).nodes.at("a"));
}

Deno.test("a system is version, platform, schematic, extensions, secure boot and install image", async () => {
  assert.deepEqual(
    await read({
      version: "v1.12.1",
      schematic: otherSchematic,
      extraInfo: "customization:\n  extraKernelArgs: [quiet]\n",
      extensions: { "iscsi-tools": "v0.2.0" },
      secureBoot: true,
      installImage: "registry.example/installer:v1.12.1",
      kubernetes: "v1.35.4",
    }),
    {
      version: "v1.12.1",
      arch: "amd64",
      platform: "metal",
      secureBoot: true,
      schematic: otherSchematic,
      customized: true,
      extensions: [{ name: "iscsi-tools", version: "v0.2.0" }],
      installImage: "registry.example/installer:v1.12.1",
      kubernetes: "v1.35.4",
    },
  );
});

Deno.test("a schematic without any customization is told from others", async () => {
  const plain = await read({ version: "v1.12.1", schematic: plainSchematic });
  assert.equal(plain.customized, false);
  for (const extraInfo of ["overlay: {name: x}", "[broken"]) {
    const { customized } = await read({
      version: "v1.12.1",
      schematic: otherSchematic,
      extraInfo,
    });
    assert.equal(customized, true, extraInfo);
  }
});

Deno.test("what a node does not tell is left out, what goes wrong is raised", async () => {
  const silent = (code: "PERMISSION_DENIED" | "UNAVAILABLE") => ({
    get: () => Promise.reject(new RpcError(code, "no")),
  });
  const found = await read({ version: "v1.8.0" }, silent("PERMISSION_DENIED"));
  assert.deepEqual(
    [found.secureBoot, found.installImage, found.schematic, found.extensions],
    [undefined, undefined, undefined, []],
  );
  await assert.rejects(read({ version: "v1.8.0" }, silent("UNAVAILABLE")), {
    code: "UNAVAILABLE",
  });
});

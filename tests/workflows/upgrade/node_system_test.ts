import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import {
  readBootLoader,
  readKubeletVersion,
  readNodeSystem,
} from "../../../workflows/upgrade/node_system.ts";
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
      inContainer: false,
      secureBoot: true,
      schematic: otherSchematic,
      customized: true,
      extensions: [{ name: "iscsi-tools", version: "v0.2.0" }],
      installImage: "registry.example/installer:v1.12.1",
      kubernetes: "v1.35.4",
    },
  );
});

Deno.test("a schematic without any customization is distinguished from others", async () => {
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

async function readSystem(spec: unknown, entry?: string) {
  const bytes = new Uint8Array([
    ...[7, 0, 0, 0],
    ...[...entry ?? ""].flatMap((c) => [c.charCodeAt(0), 0]),
  ]);
  const a = {
    get() {
      if (spec === undefined) throw new RpcError("PERMISSION_DENIED", "no");
      return { resource: { spec: { yamlSpec: JSON.stringify(spec) } } };
    },
    async *read({ path }: { readonly path: string }) {
      await Promise.resolve();
      assert.equal(
        path,
        "/sys/firmware/efi/efivars/LoaderEntrySelected-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f",
      );
      if (entry === undefined) throw new RpcError("UNKNOWN", "no such file");
      yield { bytes };
    },
  };
  return await readBootLoader(await fakeNodes({ a }).nodes.at("a"));
}

Deno.test("a boot loader is known by what the node says of its image, else by the variable it leaves", async () => {
  assert.equal(await readSystem({ bootedWithUKI: true }), "systemd-boot");
  assert.equal(await readSystem({ secureBoot: true }), "systemd-boot");
  assert.equal(
    await readSystem({ secureBoot: false }, "os-a.efi"),
    "systemd-boot",
  );
  assert.equal(await readSystem({ secureBoot: false }), "grub");
  assert.equal(await readSystem(undefined), undefined);
});

async function kubeletVersion(
  get: FakeNode["get"] & unknown,
): Promise<string> {
  return await readKubeletVersion(
    await fakeNodes({ a: { get } }).nodes.at("a"),
  );
}

function image(name: unknown) {
  return () => ({
    resource: { spec: { yamlSpec: JSON.stringify({ image: name }) } },
  });
}

Deno.test("the version of the kubelet is the tag of its image, without what follows it", async () => {
  const of = (name: unknown) => kubeletVersion(image(name));
  assert.equal(
    await of("registry.example:5000/kubelet:v1.34.1-slim@sha256:00"),
    "v1.34.1",
  );
  assert.equal(await of("kubelet:v1.36.0-rc.1"), "v1.36.0-rc.1");
  assert.equal(await of("registry.example:5000/kubelet@sha256:00"), "");
  assert.equal(await of(7), "");
});

Deno.test("node system: no version without the permission to read it", async () => {
  const refuse = () => Promise.reject(new RpcError("PERMISSION_DENIED", "no"));
  assert.equal(await kubeletVersion(refuse), "");
});

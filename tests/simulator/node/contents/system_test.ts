import assert from "node:assert/strict";
import {
  configuredContents,
  kernelCommandLine,
  unconfiguredContents,
} from "../../../../simulator/node/contents/system.ts";
import { keyOf } from "../../../../simulator/node/contents/content.ts";
import { bootedNode, madeNodes } from "../../_node.ts";

Deno.test("the configuration is stored as text, and marked so", async () => {
  const [node] = await madeNodes();
  const [active] = configuredContents(node!);
  assert.equal(active!.id, "v1alpha1");
  assert.deepEqual(active!.annotations, { "talos.dev/yaml-spec": "1" });
  assert.match(String(active!.spec), /^version: v1alpha1\n/);
});

Deno.test("version, platform and command line are known without a configuration", async () => {
  const [node] = await madeNodes();
  const specs = new Map(
    unconfiguredContents(node!).map(({ id, spec }) => [id, spec]),
  );
  assert.deepEqual(specs.get("version"), {
    name: "Talos",
    version: "v1.12.11",
  });
  assert.deepEqual(specs.get("cmdline"), { cmdline: kernelCommandLine });
  assert.match(kernelCommandLine, /^talos\.platform=metal console=ttyS0 /);
});

Deno.test("a node has the types and keys of its version", async () => {
  const found = async (tag: string) => {
    const { boot } = await bootedNode({ release: { tag } });
    const spec = (type: string, id: string) =>
      boot.resources.get(keyOf({ type, id }))?.spec;
    return {
      version: spec("Versions.runtime", "version"),
      boots: spec("BootIDs.runtime", "boot-id") !== undefined,
      security: Object.keys(spec("SecurityStates", "securitystate") ?? {}),
    };
  };
  assert.deepEqual(await found("v1.9.6"), {
    version: undefined,
    boots: false,
    security: ["secureBoot"],
  });
  assert.deepEqual(await found("v1.12.11"), {
    version: { version: "v1.12.11" },
    boots: false,
    security: [
      ...["secureBoot", "selinuxState", "moduleSignatureEnforced"],
      "bootedWithUKI",
    ],
  });
  const { version: newest, boots } = await found("v1.14.0");
  assert.deepEqual([newest, boots], [
    { name: "Talos", version: "v1.14.0" },
    true,
  ]);
});

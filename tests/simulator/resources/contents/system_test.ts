import assert from "node:assert/strict";
import {
  configuredContents,
  kernelCommandLine,
  unconfiguredContents,
} from "../../../../simulator/resources/contents/system.ts";
import { madeNodes } from "../../_node.ts";

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
  assert.deepEqual(specs.get("version"), { version: "v1.12.11" });
  assert.deepEqual(specs.get("cmdline"), { cmdline: kernelCommandLine });
  assert.match(kernelCommandLine, /^talos\.platform=metal console=ttyS0 /);
});

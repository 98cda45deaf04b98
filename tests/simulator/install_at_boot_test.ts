import assert from "node:assert/strict";
import { installTask, toInstall } from "../../simulator/install_at_boot.ts";
import { metaKey } from "../../simulator/meta.ts";
import { setFault } from "../../simulator/set_fault.ts";
import { TaskFailure } from "../../simulator/task_failure.ts";
import { bootedNode, madeNodes } from "./_node.ts";

const encoder = new TextEncoder();

Deno.test("a node with a system installs nothing, unless something is on stage", async () => {
  const node = await bootedNode();
  assert.equal(await toInstall(node), undefined);
  node.meta.set(metaKey.stagedImage, encoder.encode("x/installer:v1.13.0"));
  node.meta.set(metaKey.stagedOptions, encoder.encode("{}"));
  assert.deepEqual(await toInstall(node), {
    image: "x/installer:v1.13.0",
    upgrade: true,
  });
  // It is tried once.
  assert.equal(await toInstall(node), undefined);
});

Deno.test("a node without a system installs what its configuration says", async () => {
  const [node] = await madeNodes({ unconfigured: () => true });
  assert.deepEqual(await toInstall(node!), {
    image: "ghcr.io/siderolabs/installer:v1.12.11",
    upgrade: false,
  });
  node!.configuration = "machine: {install: {image: own/installer:v1.12.3}}";
  const installation = await toInstall(node!);
  assert.equal(installation?.image, "own/installer:v1.12.3");
  await installTask(installation)(node!, "install");
  assert.equal(node!.boot?.running.tag, "v1.12.3");
});

Deno.test("a node that could not be installed has no configuration either", async () => {
  const [node] = await madeNodes({ unconfigured: () => true });
  node!.configured = true;
  await setFault(node!, "installer-fails");
  const install = installTask({ image: "x/installer:v1", upgrade: false });
  await assert.rejects(
    install(node!, "install"),
    new TaskFailure('task "upgrade" failed: exit code 1'),
  );
  assert.deepEqual([node!.configured, node!.boot], [false, undefined]);
});

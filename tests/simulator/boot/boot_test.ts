import assert from "node:assert/strict";
import {
  bootNode,
  panic,
  powerOff,
  untilPowerOn,
} from "../../../simulator/boot/boot.ts";
import {
  firstEntry,
  install,
} from "../../../simulator/release/boot_entries.ts";
import { bootTask, openNetwork } from "../../../simulator/boot/boot_tasks.ts";
import {
  installTask,
  pendingInstallation,
} from "../../../simulator/boot/installer.ts";
import { TaskFailure } from "../../../simulator/boot/run_sequence.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { metaKey } from "../../../simulator/node/meta.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../../../transport/gen/machine_events.ts";
import { bootedNode, madeNodes, stopped } from "../_node.ts";

Deno.test("a boot ends with a node that runs, is ready and can be reached", async () => {
  const [node] = await madeNodes();
  await bootNode(node!);
  const { boot: { stage, ready, reachable, services } } = node!;
  assert.deepEqual([stage, ready, reachable, services.size], [
    Stage.RUNNING,
    true,
    true,
    11,
  ]);
});

Deno.test("a second boot starts everything anew", async () => {
  const [node] = await madeNodes();
  await bootNode(node!);
  const { boot: { id: bootId, events } } = node!;
  const count = events.end();
  await bootNode(node!);
  assert.notEqual(node!.boot.id, bootId);
  assert.equal(node!.boot.events.end(), count);
});

Deno.test("a boot without power goes no further", async () => {
  const clock = {
    ...stopped,
    sleep() {
      powerOff(node!);
      return Promise.resolve();
    },
  };
  const [node] = await madeNodes({ clock, pace: { bootMs: 10 } });
  await bootNode(node!);
  assert.deepEqual([node!.boot.stage, node!.boot.reachable], [
    Stage.BOOTING,
    false,
  ]);
});

Deno.test("a node without configuration ends its boot in maintenance", async () => {
  const [node] = await madeNodes({ unconfigured: () => true });
  await bootNode(node!);
  assert.deepEqual([node!.boot.stage, node!.boot.reachable], [
    Stage.MAINTENANCE,
    true,
  ]);
  assert.equal(node!.boot.services.has("kubelet"), false);
});

Deno.test("tasks start services, and bring what the node learns", async () => {
  const [node] = await madeNodes();
  await bootTask(node!, "startUdevd");
  assert.deepEqual([...node!.boot.services.keys()], ["udevd"]);
  await bootTask(node!, "waitForUSB");
  const disks = { namespace: "runtime", type: "Disks.block.talos.dev" };
  assert.deepEqual(node!.boot.resources.list(disks).map(({ id }) => id), [
    "loop0",
    "vda",
  ]);
  await bootTask(node!, "writeUdevRules");
  assert.equal(node!.boot.services.size, 1);
});

Deno.test("a node takes its name from its configuration", async () => {
  const [node] = await madeNodes();
  node!.disk.configuration = `machine:
  type: controlplane
  network: {hostname: renamed}
`;
  await bootTask(node!, "loadConfig");
  assert.equal(node!.identity.hostname, "renamed");
  assert.equal(node!.origin.hostname, "lab-controlplane-1");
});

Deno.test("the world is let in, unless the node is unavailable or has no power", async () => {
  const [node] = await madeNodes();
  await openNetwork(node!);
  assert.equal(node!.boot.reachable, true);
  node!.boot.reachable = false;
  await setFault(node!, "unavailable");
  await openNetwork(node!);
  assert.equal(node!.boot.reachable, false);
  await setFault(node!, "unavailable", false);
  powerOff(node!);
  await openNetwork(node!);
  assert.equal(node!.boot.reachable, false);
});

const encoder = new TextEncoder();

Deno.test("a node with a system installs nothing, unless something is on stage", async () => {
  const node = await bootedNode();
  assert.equal(await pendingInstallation(node), undefined);
  node.disk.meta.set(
    metaKey.stagedImage,
    encoder.encode("x/installer:v1.13.0"),
  );
  node.disk.meta.set(metaKey.stagedOptions, encoder.encode("{}"));
  assert.deepEqual(await pendingInstallation(node), {
    image: "x/installer:v1.13.0",
    upgrade: true,
  });
  // It is tried once.
  assert.equal(await pendingInstallation(node), undefined);
});

Deno.test("a node without a system installs what its configuration says", async () => {
  const [node] = await madeNodes({ unconfigured: () => true });
  assert.deepEqual(await pendingInstallation(node!), {
    image: "ghcr.io/siderolabs/installer:v1.12.11",
    upgrade: false,
  });
  node!.disk.configuration =
    "machine: {install: {image: own/installer:v1.12.3}}";
  const installation = await pendingInstallation(node!);
  assert.equal(installation?.image, "own/installer:v1.12.3");
  await installTask(installation)(node!, "install");
  assert.equal(node!.disk.bootEntries?.running.tag, "v1.12.3");
});

Deno.test("a node that could not be installed has no configuration either", async () => {
  const [node] = await madeNodes({ unconfigured: () => true });
  node!.disk.configured = true;
  await setFault(node!, "installer-fails");
  const install = installTask({ image: "x/installer:v1", upgrade: false });
  await assert.rejects(
    install(node!, "install"),
    new TaskFailure('task "upgrade" failed: exit code 1'),
  );
  assert.deepEqual([node!.disk.configured, node!.disk.bootEntries], [
    false,
    undefined,
  ]);
});

Deno.test("a node without power says nothing and does nothing", async () => {
  const node = await bootedNode();
  powerOff(node);
  assert.deepEqual(
    [
      node.boot.reachable,
      node.boot.shutdown.signal.aborted,
      node.boot.power.signal.aborted,
    ],
    [false, true, true],
  );
});

Deno.test("a node gets its power back, unless it never returns: then it is off", async () => {
  const node = await bootedNode();
  assert.equal(await untilPowerOn(node), true);
  await setFault(node, "never-returns", { calls: 1 });
  assert.equal(await untilPowerOn(node), false);
  assert.equal(node.isOff, true);
});

const { entries } = install(firstEntry({ tag: "v1.12.0" }), { tag: "v1.13.0" });

Deno.test("a node whose first boot behind an upgrade fails goes back", async () => {
  const node = await bootedNode();
  node.disk.bootEntries = entries;
  node.disk.meta.set(
    metaKey.upgrade,
    new TextEncoder().encode("Talos-v1.12.0.efi"),
  );
  await panic(node);
  assert.equal(node.disk.bootEntries.chosen, "Talos-v1.12.0.efi");
  assert.equal(node.disk.meta.size, 0);
});

Deno.test("a node goes back to nothing when there is nothing, and not when the upgrade has worked", async () => {
  const node = await bootedNode();
  node.disk.bootEntries = entries;
  node.disk.meta.set(metaKey.upgrade, new Uint8Array());
  await panic(node);
  assert.equal(node.disk.meta.size, 0);
  await panic(node);
  assert.equal(node.disk.bootEntries.chosen, "Talos-v1.13.0.efi");
});

import assert from "node:assert/strict";
import { processesOf } from "../../../simulator/node/processes.ts";
import { stopService } from "../../../simulator/node/system_services.ts";
import { bootedNode } from "../_node.ts";

Deno.test("processes are init, threads of the kernel, services and containers", async () => {
  const node = await bootedNode();
  const processes = processesOf(node);
  const pids = processes.map(({ pid }) => pid);
  assert.deepEqual(pids, [...new Set(pids)].sort((a, b) => a - b));
  assert.deepEqual(
    processes.slice(0, 3).map((
      { command, executable, ppid },
    ) => [command, executable, ppid]),
    [
      ["init", "/sbin/init", 0],
      ["kthreadd", "", 0],
      ["ksoftirqd/0", "", 2],
    ],
  );
  const commands = processes.map(({ command }) => command);
  assert.ok(commands.includes("systemd-udevd"));
  assert.ok(commands.includes("kube-apiserver"));
  assert.ok(!commands.includes("auditd"), "it is part of init");
});

Deno.test("a stopped service has no process", async () => {
  const node = await bootedNode();
  stopService(node, "udevd");
  assert.ok(
    !processesOf(node).some(({ command }) => command === "systemd-udevd"),
  );
});

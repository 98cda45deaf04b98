import assert from "node:assert/strict";
import {
  pidOf,
  serviceFacts,
  setHealth,
  startService,
  stopService,
} from "../../../simulator/node/system_services.ts";
import { ServiceStateEvent } from "../../../transport/gen/machine_events.ts";
import { madeNodes } from "../_node.ts";

const key = {
  namespace: "runtime",
  type: "Services.v1alpha1.talos.dev",
  id: "kubelet",
};

Deno.test("a resource exists of a service while it runs", async () => {
  const [node] = await madeNodes();
  startService(node!, "kubelet");
  assert.deepEqual(node!.boot.resources.get(key)?.spec, {
    running: true,
    healthy: true,
    unknown: false,
  });
  setHealth(node!, "kubelet", false, "no answer");
  assert.deepEqual(node!.boot.resources.get(key)?.spec, {
    running: true,
    healthy: false,
    unknown: false,
  });
  stopService(node!, "kubelet");
  assert.equal(node!.boot.resources.get(key), undefined);
});

Deno.test("each change is an event, and the last 64 are remembered", async () => {
  const [node] = await madeNodes();
  startService(node!, "kubelet");
  for (let count = 0; count < 100; count++) {
    setHealth(node!, "kubelet", true, "");
  }
  const { events } = node!.boot.services.get("kubelet")!;
  assert.equal(events.length, 64);
  const last = ServiceStateEvent.decode(
    node!.boot.events.at(node!.boot.events.end() - 1).payload(),
  );
  assert.deepEqual([
    last.service,
    last.action,
    last.message,
    last.health?.healthy,
  ], ["kubelet", 3, "Health check successful", true]);
});

Deno.test("services stop in the way they were started", async () => {
  const [node] = await madeNodes();
  const stopping = (id: string) => {
    startService(node!, id);
    stopService(node!, id);
    return node!.boot.services.get(id)!.events.at(-2)?.message;
  };
  assert.equal(
    stopping("etcd"),
    "Sending SIGTERM to task etcd (PID 1885, container etcd)",
  );
  assert.equal(
    stopping("udevd"),
    'Sending SIGTERM to Process(["/sbin/systemd-udevd" "--resolve-names=never"])',
  );
  assert.equal(stopping("machined"), "Service stopping");
});

Deno.test("no two services share a process id, nor two starts of one", async () => {
  const [node] = await madeNodes();
  const ids = Object.keys(serviceFacts);
  const pids = () => ids.map((id) => pidOf(node!, id));
  const all = pids();
  for (const id of ids) startService(node!, id);
  assert.deepEqual(pids(), all);
  for (const id of ids) {
    stopService(node!, id);
    startService(node!, id);
  }
  assert.equal(new Set([...all, ...pids()]).size, 2 * ids.length);
});

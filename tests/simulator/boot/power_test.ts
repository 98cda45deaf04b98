import assert from "node:assert/strict";
import { powerCycle, reboot, shutDown } from "../../../simulator/boot/power.ts";
import { powerOff } from "../../../simulator/boot/boot.ts";
import {
  MachineStatusEvent_MachineStage as Stage,
  TaskEvent,
} from "../../../transport/gen/machine_events.ts";
import { bootedNode } from "../_node.ts";

Deno.test("an orderly reboot stops services, ends streams, then breaks connections", async () => {
  const node = await bootedNode();
  const { boot: { shutdown: stopping, power: running, events, id: bootId } } =
    node;
  const seen: string[] = [];
  stopping.signal.onabort = () =>
    seen.push(`stopping, ${node.boot.services.get("kubelet")!.state}`);
  running.signal.onabort = () =>
    seen.push(`broken, reachable ${node.boot.reachable}`);
  await reboot(node, { actorId: "me" });
  assert.deepEqual(seen, ["stopping, Finished", "broken, reachable false"]);
  assert.notEqual(node.boot.id, bootId);
  assert.equal(node.boot.stage, Stage.RUNNING);
  const last = events.at(events.end() - 4);
  assert.equal(last.actorId, "me");
});

Deno.test("a forced reboot stops nothing first", async () => {
  const node = await bootedNode();
  const { boot: { events } } = node;
  const before = events.end();
  await reboot(node, { forced: true });
  const tasks = [];
  for (let position = before; position < events.end(); position++) {
    const { typeUrl, payload } = events.at(position);
    if (typeUrl.endsWith(".TaskEvent")) {
      tasks.push(TaskEvent.decode(payload()).task);
    }
  }
  assert.deepEqual(new Set(tasks), new Set(["reboot"]));
});

Deno.test("a node that was shut down stays off", async () => {
  const node = await bootedNode();
  await shutDown(node);
  assert.deepEqual([
    node.boot.stage,
    node.boot.reachable,
    node.boot.power.signal.aborted,
  ], [
    Stage.SHUTTING_DOWN,
    false,
    true,
  ]);
});

Deno.test("a node without power comes back by itself when it gets it again", async () => {
  const node = await bootedNode();
  const { boot: { id: bootId } } = node;
  await powerCycle(node);
  assert.notEqual(node.boot.id, bootId);
  powerOff(node);
  assert.equal(node.boot.reachable, false);
});

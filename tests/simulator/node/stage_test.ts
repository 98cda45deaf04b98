import assert from "node:assert/strict";
import { setStage } from "../../../simulator/node/stage.ts";
import {
  MachineStatusEvent,
  MachineStatusEvent_MachineStage as Stage,
} from "../../../transport/gen/machine_events.ts";
import { madeNodes } from "../_node.ts";

Deno.test("a stage is told by event and by resource, with what is not met", async () => {
  const [node] = await madeNodes();
  setStage(node!, Stage.SHUTTING_DOWN, ["time"]);
  const unmetConditions = [{ name: "time", reason: "time is not synced" }];
  const { payload } = node!.boot.events.at(0);
  assert.deepEqual(MachineStatusEvent.decode(payload()), {
    stage: 6,
    status: { ready: false, unmetConditions },
  });
  const key = {
    namespace: "runtime",
    type: "MachineStatuses.runtime.talos.dev",
    id: "machine",
  };
  assert.deepEqual(node!.boot.resources.get(key)?.spec, {
    stage: "shutting down",
    status: { ready: false, unmetConditions },
  });
  assert.equal(node!.boot.ready, false);
  setStage(node!, Stage.RUNNING, []);
  assert.equal(node!.boot.ready, true);
});

Deno.test("a node that is ready does not go back to the system before an upgrade any more", async () => {
  const [node] = await madeNodes();
  node!.disk.meta.set(6, new Uint8Array([65]));
  let isSaved = false;
  node!.save = () => {
    isSaved = true;
    return Promise.resolve();
  };
  setStage(node!, Stage.BOOTING, []);
  setStage(node!, Stage.RUNNING, ["time"]);
  assert.deepEqual([node!.disk.meta.size, isSaved], [1, false]);
  setStage(node!, Stage.RUNNING, []);
  assert.deepEqual([node!.disk.meta.size, isSaved], [0, true]);
});

import assert from "node:assert/strict";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { startSequence } from "../../../simulator/boot/sequencer.ts";
import {
  forcedReboot,
  install,
  reboot,
  reset,
  shutdown,
  upgrade,
} from "../../../simulator/release/sequences.ts";
import { TaskFailure } from "../../../simulator/boot/run_sequence.ts";
import {
  MachineStatusEvent_MachineStage as Stage,
  SequenceEvent,
} from "../../../transport/gen/machine_events.ts";
import { bootedNode } from "../_node.ts";

const idle = { durationMs: 0, onTask: () => Promise.resolve() };

const resetAll = reset({
  graceful: false,
  isMember: false,
  system: "all",
  userDisks: false,
  reboots: true,
  kexec: false,
});

/** Begins a sequence that continues until it is let go. */
function openSequence(node: SimulatedNode, sequence = reboot) {
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  const ending = startSequence(node, sequence, {
    ...idle,
    onTask: () => promise,
  });
  return { ending, letGo };
}

function lastEvent({ boot: { events } }: SimulatedNode) {
  const { sequence, error } = SequenceEvent.decode(
    events.at(events.end() - 1).payload(),
  );
  return { sequence, code: error?.code, message: error?.message };
}

Deno.test("a sequence that another one is in the way of does not start, and says so", async () => {
  const node = await bootedNode();
  const { ending, letGo } = openSequence(node, upgrade({ kexec: true }));
  assert.equal(await startSequence(node, reboot, idle), "refused");
  assert.deepEqual(lastEvent(node), {
    sequence: "reboot",
    code: 1,
    message: "sequence not started: locked",
  });
  assert.equal(node.boot.stage, Stage.UPGRADING);
  letGo();
  assert.equal(await ending, "done");
});

Deno.test("a reboot takes the place of a reboot and of a reset, a reset that of neither", async () => {
  for (const running of [reboot, resetAll]) {
    const node = await bootedNode();
    const { ending, letGo } = openSequence(node, running);
    assert.equal(await startSequence(node, resetAll, idle), "refused");
    const second = startSequence(node, forcedReboot, idle);
    letGo();
    assert.deepEqual(await Promise.all([ending, second]), ["replaced", "done"]);
    assert.equal(node.boot.stage, Stage.REBOOTING);
  }
});

Deno.test("what takes over ends anything", async () => {
  const node = await bootedNode();
  const { ending, letGo } = openSequence(node, upgrade({ kexec: true }));
  const last = shutdown({ forced: true });
  const second = startSequence(node, last, { ...idle, takesOver: true });
  letGo();
  assert.deepEqual(await Promise.all([ending, second]), ["replaced", "done"]);
  assert.equal(node.boot.stage, Stage.SHUTTING_DOWN);
});

Deno.test("stages follow sequences and some of their phases", async () => {
  const node = await bootedNode();
  const stages: Stage[] = [];
  const onTask = () => Promise.resolve(void stages.push(node.boot.stage));
  await startSequence(node, upgrade({ kexec: true }), { ...idle, onTask });
  assert.deepEqual(
    stages.filter((stage, index) => stage !== stages[index - 1]),
    [Stage.UPGRADING, Stage.REBOOTING],
  );
  stages.length = 0;
  await startSequence(node, install, { ...idle, onTask });
  assert.deepEqual(
    stages.filter((stage, index) => stage !== stages[index - 1]),
    [Stage.REBOOTING, Stage.INSTALLING, Stage.REBOOTING],
  );
});

Deno.test("a sequence that fails means a reboot, unless the node is shutting down", async () => {
  const onTask = () => Promise.reject(new TaskFailure("no"));
  const node = await bootedNode();
  assert.equal(
    await startSequence(node, resetAll, { ...idle, onTask }),
    "failed",
  );
  assert.equal(node.boot.stage, Stage.REBOOTING);
  const last = shutdown({ forced: false });
  assert.equal(await startSequence(node, last, { ...idle, onTask }), "failed");
  assert.equal(node.boot.stage, Stage.SHUTTING_DOWN);
});

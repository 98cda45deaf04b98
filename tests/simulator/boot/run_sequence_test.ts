import assert from "node:assert/strict";
import { powerOff } from "../../../simulator/boot/boot.ts";
import {
  runSequence,
  TaskFailure,
} from "../../../simulator/boot/run_sequence.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { SequenceEvent } from "../../../transport/gen/machine_events.ts";
import { madeNodes, stopped } from "../_node.ts";

const sequence = {
  name: "reboot",
  phases: [{ name: "one", tasks: ["a", "b"] }, { name: "two", tasks: ["c"] }],
} as const;

const idle = {
  durationMs: 0,
  replaced: new AbortController().signal,
  onTask: () => Promise.resolve(),
};

/** Kinds of the events since a position. */
function kinds(
  { boot: { events } }: SimulatedNode,
  from = 0,
): readonly string[] {
  return Array.from(
    { length: events.end() - from },
    (_, index) => events.at(from + index).typeUrl.match(/(\w+)Event$/)![1]!,
  );
}

/** What the last event says of a sequence. */
function lastWord({ boot: { events } }: SimulatedNode) {
  const { sequence, action, error } = SequenceEvent.decode(
    events.at(events.end() - 1).payload(),
  );
  return { sequence, action, code: error?.code, message: error?.message };
}

Deno.test("a sequence reports itself, its phases and its tasks, in order", async () => {
  const [node] = await madeNodes();
  const done: string[] = [];
  const phases: string[] = [];
  const ending = await runSequence(node!, sequence, {
    ...idle,
    actorId: "me",
    onTask: (_, task) => Promise.resolve(void done.push(task)),
    onPhase: (_, phase) => void phases.push(phase),
  });
  assert.equal(ending, "done");
  assert.deepEqual(done, ["a", "b", "c"]);
  assert.deepEqual(phases, ["one", "two"]);
  assert.deepEqual(kinds(node!), [
    "Sequence",
    "Phase",
    "Task",
    "Task",
    "Task",
    "Task",
    "Phase",
    "Phase",
    "Task",
    "Task",
    "Phase",
    "Sequence",
  ]);
  assert.equal(node!.boot.events.at(0).actorId, "me");
  const { boot: { kernelLog } } = node!;
  assert.equal(kernelLog.at(0).text, "[talos] reboot sequence: 2 phase(s)");
  assert.equal(kernelLog.at(2).text, "[talos] task a (1/2): starting");
});

Deno.test("a sequence takes the time it is given", async () => {
  const waits: number[] = [];
  const clock = {
    ...stopped,
    sleep: (ms: number) => Promise.resolve(void waits.push(ms)),
  };
  const [node] = await madeNodes({ clock });
  await runSequence(node!, sequence, { ...idle, durationMs: 100 });
  assert.deepEqual(waits, [50, 50]);
});

Deno.test("a sequence that another one replaces ends with its phase, and says so", async () => {
  const [node] = await madeNodes();
  const stop = new AbortController();
  const ending = await runSequence(node!, sequence, {
    ...idle,
    replaced: stop.signal,
    onTask: () => Promise.resolve(stop.abort()),
  });
  assert.equal(ending, "replaced");
  assert.deepEqual(kinds(node!), [
    "Sequence",
    "Phase",
    "Task",
    "Task",
    "Task",
    "Task",
    "Phase",
    "Sequence",
    "Sequence",
  ]);
  assert.deepEqual(lastWord(node!), {
    sequence: "reboot",
    action: 0,
    code: 2,
    message: "sequence failed: context canceled",
  });
});

Deno.test("a sequence without power says nothing more", async () => {
  const [node] = await madeNodes();
  const ending = await runSequence(node!, sequence, {
    ...idle,
    onTask: () => Promise.resolve(powerOff(node!)),
  });
  assert.equal(ending, "cut");
  assert.deepEqual(kinds(node!).slice(-2), ["Task", "Phase"]);
});

Deno.test("a task that fails ends its sequence, with the reason", async () => {
  const [node] = await madeNodes();
  const ending = await runSequence(node!, sequence, {
    ...idle,
    onTask: (_, task) =>
      task === "b"
        ? Promise.reject(new TaskFailure("no room"))
        : Promise.resolve(),
  });
  assert.equal(ending, "failed");
  assert.deepEqual(lastWord(node!), {
    sequence: "reboot",
    action: 0,
    code: 0,
    message:
      "sequence failed: error running phase 1 in reboot sequence: task 2/2: failed, no room",
  });
  assert.deepEqual(kinds(node!).slice(-5), [
    "Task",
    "Task",
    "Phase",
    "Sequence",
    "Sequence",
  ]);
});

Deno.test("a bug of the simulator is not a failure of the node", async () => {
  const [node] = await madeNodes();
  const onTask = () => Promise.reject(new TypeError("oops"));
  await assert.rejects(
    runSequence(node!, sequence, { ...idle, onTask }),
    new TypeError("oops"),
  );
});

Deno.test("the failure of a task is distinguished from other errors", () => {
  const failure = new TaskFailure("no room");
  assert.ok(failure instanceof Error);
  assert.deepEqual([failure.name, failure.message], ["TaskFailure", "no room"]);
});

import assert from "node:assert/strict";
import { runSequence } from "../../simulator/run_sequence.ts";
import { madeNodes, stopped } from "./_node.ts";

const sequence = {
  name: "tidy",
  phases: [{ name: "one", tasks: ["a", "b"] }, { name: "two", tasks: ["c"] }],
};

Deno.test("a sequence reports itself, its phases and its tasks, in order", async () => {
  const [node] = await madeNodes();
  const done: string[] = [];
  const { signal } = new AbortController();
  await runSequence(node!, sequence, {
    durationMs: 0,
    signal,
    actorId: "me",
    onTask: (_, task) => Promise.resolve(void done.push(task)),
  });
  assert.deepEqual(done, ["a", "b", "c"]);
  const { events } = node!;
  const types = Array.from(
    { length: events.end() },
    (_, position) => events.at(position).typeUrl.match(/(\w+)Event$/)![1],
  );
  assert.deepEqual(types, [
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
  assert.equal(events.at(0).actorId, "me");
  const { kernelLog } = node!;
  assert.equal(kernelLog.at(0).text, "[talos] tidy sequence: 2 phase(s)");
  assert.equal(kernelLog.at(2).text, "[talos] task a (1/2): starting");
});

Deno.test("a sequence takes the time it is given, and ends where it is stopped", async () => {
  const waits: number[] = [];
  const clock = {
    ...stopped,
    sleep: (ms: number) => Promise.resolve(void waits.push(ms)),
  };
  const [node] = await madeNodes({ clock });
  const stop = new AbortController();
  const run = {
    durationMs: 100,
    signal: stop.signal,
    onTask: () => Promise.resolve(),
  };
  await runSequence(node!, sequence, run);
  assert.deepEqual(waits, [50, 50]);
  const onTask = () => Promise.resolve(stop.abort());
  const before = node!.events.end();
  await runSequence(node!, sequence, { ...run, onTask });
  assert.equal(node!.events.end() - before, 7);
});

import assert from "node:assert/strict";
import { virtualClock } from "../../../simulator/clock/virtual_clock.ts";
import { parseFault } from "../../../workflows/rehearsal/faults/parse_fault.ts";
import { FaultSchedule } from "../../../workflows/rehearsal/fault_schedule.ts";
import {
  type SimulatedProcess,
  startProcess,
} from "../../../workflows/rehearsal/simulated_process.ts";

/** A world that says what was done to it, and when; with a process and its journal. */
function world(...faults: readonly string[]) {
  const start = 1_772_366_400_000;
  const clock = virtualClock({ start });
  const done: string[] = [];
  const after = () => (clock.now() - start) / 1_000;
  const schedule = new FaultSchedule({
    faults: faults.map(parseFault),
    clock,
    chooseName: (node) => node === "10.0.0.1" ? "demo-worker-1" : node,
    strike({ text }) {
      if (text.includes("fail")) return Promise.reject(new RangeError(text));
      done.push(`${after()}: ${text}`);
      return Promise.resolve(() =>
        Promise.resolve(void done.push(`${after()}: lifted`))
      );
    },
  });
  const process = startProcess({
    clock,
    gate: schedule.gate,
    skewMs: () => schedule.skewMs,
  });
  schedule.take(process);
  const lines: string[] = [];
  const store = schedule.through(() => lines.length)({
    write: (bytes) =>
      Promise.resolve(void lines.push(new TextDecoder().decode(bytes))),
    sync: () => Promise.resolve(),
  });
  const write = (text: string) => store.write(new TextEncoder().encode(text));
  return { clock, done, schedule, process, lines, write };
}

function isDead({ dead }: SimulatedProcess): boolean {
  return dead.aborted;
}

Deno.test("faults strike at the start, after a time, and for a while", async () => {
  const { clock, done, schedule } = world(
    "k8s: down for 10s",
    "k8s: down @ 4s",
  );
  await clock.run(async () => {
    await schedule.begin();
    await clock.sleep(30_000);
  });
  assert.deepEqual(done, [
    "0: k8s: down for 10s",
    "4: k8s: down @ 4s",
    "10: lifted",
  ]);
  assert.deepEqual(schedule.injected(), [
    {
      fault: "k8s: down for 10s",
      at: "2026-03-01T12:00:00.000Z",
      until: "2026-03-01T12:00:10.000Z",
    },
    { fault: "k8s: down @ 4s", at: "2026-03-01T12:00:04.000Z" },
  ]);
});

Deno.test("a process is killed behind a record, or before it is there", async () => {
  const behind = world("runner: kill @ record 2 for 1m");
  await behind.write("1");
  assert.equal(isDead(behind.process), false);
  await behind.write("2");
  assert.equal(isDead(behind.process), true);
  assert.deepEqual(behind.lines, ["1", "2"]);
  assert.equal(await behind.schedule.killed(), 60_000);
  const before = world("runner: kill-before @ record 2");
  await before.write("1");
  await before.write("2");
  assert.equal(isDead(before.process), true);
  assert.deepEqual(before.lines, ["1"]);
  assert.equal(await before.schedule.killed(), 0);
});

Deno.test("a process is killed before a call, and the next one is not", async () => {
  const { schedule, process, clock } = world("runner: kill @ call 2");
  await schedule.gate({ method: "A", node: "" });
  assert.equal(isDead(process), false);
  await schedule.gate({ method: "B", node: "" });
  assert.equal(isDead(process), true);
  const next = startProcess({ clock });
  schedule.take(next);
  await schedule.gate({ method: "C", node: "" });
  assert.equal(isDead(next), false);
  assert.equal(schedule.calls, 3);
});

Deno.test("single calls are interrupted, those of Kubernetes as well", async () => {
  const { schedule, done } = world(
    "rpc/*: drop-before-send @ call 1",
    "rpc/Reboot/worker-1: drop-after-send @ call 2",
    "rpc/Reboot: error busy-not @ call 9".replace("busy-not", "aborted"),
    "rpc/Reset: drop-before-send @ call 4",
    "rpc/Reboot: slow 5s",
  );
  await schedule.begin();
  const gate = (method: string, node = "") => schedule.gate({ method, node });
  const [first, second, third, fourth] = [
    await gate("PATCH /api"),
    await gate("Reboot", "10.0.0.1"),
    await gate("Reboot", "10.0.0.1"),
    await gate("Reboot", "10.0.0.1"),
  ];
  assert.ok(first?.kind === "before" && second?.kind === "after");
  assert.equal(first.kubernetes.message, "the connection was closed");
  assert.equal(second.error.message, "error reading from server: EOF");
  assert.deepEqual([third?.kind, fourth?.kind], ["none", "none"]);
  for (const _ of [5, 6, 7, 8]) await gate("Reboot");
  const refused = await gate("Reboot");
  assert.ok(refused.kind === "before");
  assert.equal(refused.error.message, "simulated failure of the call");
  assert.deepEqual(done, ["0: rpc/Reboot: slow 5s"]);
  assert.deepEqual(schedule.injected()[1]?.node, "demo-worker-1");
});

Deno.test("a fault that cannot be done is raised, and nothing strikes after the end", async () => {
  const { clock, schedule, done } = world(
    "k8s: down @ 5s",
    "k8s: down for 6s",
  );
  await clock.run(async () => {
    await schedule.begin();
    schedule.end();
    await clock.sleep(10_000);
  });
  assert.deepEqual(done, ["0: k8s: down for 6s"]);
  const wrong = world("node/fail: down");
  await assert.rejects(wrong.schedule.begin(), RangeError);
});

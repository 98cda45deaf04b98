import assert from "node:assert/strict";
import type { Format } from "../../../../terminal/format.ts";
import {
  type RunRow,
  type WatchedRun,
  watchRun,
} from "../../../../workflows/runbooks/report/watch_run.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { full } from "./_reports.ts";
import { goldenStream } from "./_streams.ts";

const events = await goldenStream("stopped");

/** The run, from its begin. */
function run(): WatchedRun {
  return { events: replay(), report: () => Promise.resolve(full) };
}

async function* replay(): AsyncGenerator<RunEvent> {
  yield* events;
  await Promise.resolve();
}

/** Rows, notes and files of a run. */
async function watch(
  format: Format,
  write: (line: string) => Promise<void> = () => Promise.resolve(),
  earlier: readonly RunEvent[] = [],
) {
  const [rows, notes, files]: [RunRow[], string[], string[]] = [[], [], []];
  const options = {
    format,
    note: (text: string) => void notes.push(text),
    environment: { now: () => new Date(0) },
    eventsFile: write,
    earlier,
    junitFile: (text: string) => Promise.resolve(void files.push(text)),
  };
  for await (const row of watchRun(run(), options)) rows.push(row);
  return { rows, notes, files };
}

Deno.test("watchRun writes the steps of earlier processes to the JUnit report as well", async () => {
  const { files } = await watch(
    { kind: "json" },
    undefined,
    await goldenStream("partial"),
  );
  const suites = [...files.join("").matchAll(/<testsuite name="([^"]+)"/g)];
  assert.deepEqual(suites.map(([, name]) => name), [
    "rolling-upgrade",
    "Upgrade control planes",
    "Upgrade workers",
  ]);
});

Deno.test("watchRun continues when events cannot be written, and says so once", async () => {
  let tried = 0;
  const { rows, notes } = await watch({ kind: "jsonl" }, () => {
    tried++;
    return Promise.reject(new Error("no space left on device"));
  });
  assert.equal(rows.length, events.length);
  assert.deepEqual([tried, notes], [1, [
    "warning: events are no longer written: no space left on device",
  ]]);
});

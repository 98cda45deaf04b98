import assert from "node:assert/strict";
import { eventSchema } from "../../../workflows/runbooks/report/event_schema.ts";
import { run } from "../../_run.ts";
import { goldenStream } from "../../workflows/runbooks/report/_streams.ts";

const file = new URL(
  "../../workflows/runbooks/report/golden/stopped.jsonl",
  import.meta.url,
).pathname;

Deno.test("runbook events prints what a run told", async () => {
  const { out, status } = await run(["runbook", "events", file]);
  assert.equal(status, 0);
  assert.deepEqual(out.split("\n").slice(0, 3), [
    "20:30:00 run 20261120-7k2f goes on",
    "20:30:01 waiting: the window opens on Monday at 20:00",
    "20:30:02 workers: begins",
  ]);
  assert.doesNotMatch(out, /\n\n|undefined/);
});

Deno.test("runbook events passes events on to programs", async () => {
  const { out } = await run(["runbook", "events", file, "-o", "jsonl"]);
  const events = out.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(events, await goldenStream("stopped"));
});

Deno.test("runbook events --schema prints the JSON Schema, in any format", async () => {
  for (const format of [[], ["-o", "json"]]) {
    const { out, status } = await run([
      "runbook",
      "events",
      "--schema",
      ...format,
    ]);
    assert.equal(status, 0);
    assert.deepEqual(JSON.parse(out), eventSchema());
  }
});

Deno.test("runbook events wants a file", async () => {
  const { err, status } = await run("runbook events");
  assert.equal(status, 2);
  assert.match(
    err,
    /^error: Cannot print events: neither file nor --schema given/m,
  );
});

Deno.test("runbook events refuses what is no file of events", async () => {
  for (
    const path of ["/dev/null/x", "/no/such/file", import.meta.filename ?? ""]
  ) {
    const { err, status } = await run(["runbook", "events", path]);
    assert.equal(status, 2, err);
    assert.ok(err.startsWith(`error: Cannot read "${path}": `), err);
  }
});

import assert from "node:assert/strict";
import { eventLine } from "../../../../workflows/runbooks/report/event_line.ts";
import { event, golden, goldenStream } from "./_streams.ts";

for (const name of golden) {
  Deno.test(`eventLine tells the stream ${name} as is written beside it`, async () => {
    const url = new URL(
      `../../../workflows/runbooks/report/golden/${name}.lines.txt`,
      import.meta.url,
    );
    const lines = (await goldenStream(name)).map((one) => eventLine(one))
      .filter((line) => line !== undefined);
    assert.equal(`${lines.join("\n")}\n`, await Deno.readTextFile(url));
  });
}

Deno.test("eventLine keeps to one line, without control sequences", () => {
  const data = { message: "first\nsecond \x1b[31mred" };
  assert.equal(
    eventLine(event("note", 7, { data })),
    "19:30:07 first second red",
  );
});

Deno.test("eventLine makes do with what an event says", () => {
  const path = "a";
  assert.equal(eventLine(event("step.done", 0, { path })), "19:30:00 a: done");
  assert.equal(
    eventLine(event("step.done", 0, { path, data: { changed: false } })),
    "19:30:00 a: nothing to do",
  );
  assert.equal(
    eventLine(event("group.resolved", 0, { path, data: { nodes: [] } })),
    "19:30:00 a: nodes: none",
  );
  assert.equal(
    eventLine(
      event("approval.requested", 0, { data: { tag: "t", message: "Go?" } }),
    ),
    "19:30:00 approval t: Go?; answer with: osctl runbook approve r1 t",
  );
  assert.equal(
    eventLine(
      event("approval.answered", 0, { data: { tag: "t", approved: false } }),
    ),
    "19:30:00 approval t: refused",
  );
  const data = { tag: "t", approved: false, by: "eve", reason: "not today" };
  assert.equal(
    eventLine(event("approval.answered", 0, { data })),
    "19:30:00 approval t: refused by eve: not today",
  );
  assert.equal(
    eventLine(event("lock.lost", 0)),
    "19:30:00 the run has lost its lock on the cluster",
  );
  assert.equal(eventLine(event("run.stopping", 0)), "19:30:00 stopping");
  assert.equal(
    eventLine(event("step.failed", 0, { path, data: { code: "busy" } })),
    "19:30:00 a: failed: busy",
  );
});

import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { eventTypes } from "../../../../workflows/runbooks/event.ts";
import { eventSchema } from "../../../../workflows/runbooks/report/event_schema.ts";
import { event, golden, goldenStream } from "./_streams.ts";

const accepts = new Ajv2020({ strict: true, strictRequired: false })
  .compile(eventSchema());

for (const name of golden) {
  Deno.test(`eventSchema accepts every event of the stream ${name}`, async () => {
    for (const one of await goldenStream(name)) {
      assert.ok(
        accepts(one),
        JSON.stringify([one, accepts.errors]),
      );
    }
  });
}

Deno.test("the golden streams have every kind of event", async () => {
  const streams = await Promise.all(golden.map(goldenStream));
  const seen = new Set(streams.flat().map(({ type }) => type));
  assert.deepEqual(eventTypes.filter((type) => !seen.has(type)), []);
});

const good = event("note", 0, { data: { message: "all is well" } });

const wrong: Readonly<Record<string, unknown>> = {
  "another format": { ...good, v: 2 },
  "a number of nothing": { ...good, seq: 0 },
  "a time without a zone": { ...good, ts: "2026-11-20T19:30:00" },
  "a kind nobody knows": { ...good, type: "step.started" },
  "a name nobody knows": { ...good, message: "all is well" },
  "a note that says nothing": { ...good, data: {} },
  "a step without a path": event("step.done", 0),
  "a node's end without a node": event("node.ended", 0, {
    path: "workers",
    data: { state: "done" },
  }),
  "a status that is not a number": event("run.ended", 0, {
    data: { state: "failed", status: "1" },
  }),
  "groups that are not lists of names": event("run.started", 0, {
    data: { runbook: "r", groups: { workers: "w-1" } },
  }),
  "a safe point without a step": event("run.stopping", 0, {
    data: { waiting: [{ node: "w-1" }] },
  }),
};

Deno.test("eventSchema accepts names under data that it does not know", () => {
  const more = { ...good, data: { message: "all is well", mood: "good" } };
  assert.ok(accepts(good) && accepts(more));
});

for (const [name, value] of Object.entries(wrong)) {
  Deno.test(`eventSchema refuses ${name}`, () => {
    assert.equal(accepts(value), false);
  });
}

import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { Json } from "../../../../lib/json.ts";
import { RunHistory } from "../../../../workflows/runbooks/journal/history.ts";
import { readJournal } from "../../../../workflows/runbooks/journal/reader.ts";
import { writeJournal } from "../../../../workflows/runbooks/journal/writer.ts";
import { makeJournal, memoryStore, ticking } from "./_journals.ts";
import {
  type Details,
  type JournalRecord,
  loose,
  type NewRecord,
  whole,
  wholeRead,
} from "../_records.ts";

function foldRecords(records: readonly JournalRecord[]): RunHistory {
  const history = new RunHistory();
  for (const record of records) history.add(wholeRead(record));
  return history;
}

async function read(bytes: Uint8Array) {
  const history = new RunHistory();
  const found = await readJournal(
    [bytes],
    "j",
    (record) => history.add(record),
  );
  return { ...found, history };
}

const json = fc.jsonValue({ maxDepth: 2, stringUnit: "binary" })
  .map((value) => value as Json);

const name = fc.constantFrom("w-1", "w-2", "cp-1", "ü");
const path = fc.constantFrom("start", "workers", "workers/a", "workers/a/b");
const entry = fc.integer({ min: 1, max: 3 });

function kind(type: NewRecord["type"], details: fc.Arbitrary<Details>) {
  return fc.record(
    { type: fc.constant(type), path, node: name, entry, data: details },
    { requiredKeys: ["type", "data"] },
  );
}

const record: fc.Arbitrary<NewRecord> = fc.oneof(
  kind("run.start", fc.record({ groups: json })),
  kind("run.resume", fc.record({ entry })),
  kind("intent", fc.record({ key: json, input: json })),
  kind("step", fc.record({ step: fc.string() })),
  kind("ack", fc.constant({})),
  kind(
    "result",
    fc.record({
      state: fc.constantFrom("ok", "failed", "skipped"),
      module: fc.constantFrom("node.cordon", "node.uncordon", "reboot"),
      outputs: fc.dictionary(fc.string(), json),
    }),
  ),
  kind("when", fc.record({ value: fc.boolean() })),
  kind("sleep", fc.record({ until: fc.nat() })),
  kind("phase", fc.record({ name: fc.constantFrom("rescue", "always") })),
  kind("decision", fc.record({ verdict: fc.constantFrom("skip", "redo") })),
  kind("enter", fc.constant({})),
  kind("node", fc.record({ state: fc.constantFrom("done", "failed") })),
  kind("group", fc.record({ nodes: fc.array(name) })),
  kind("decide", fc.record({ value: json })),
  kind(
    "approval.requested",
    fc.record({ tag: fc.string(), message: fc.string() }),
  ),
  kind("approval.answered", fc.record({ approved: fc.boolean() })),
  kind("set", fc.record({ value: json })),
  kind("drop", fc.record({ reason: fc.string() })),
  kind("secret", fc.record({ name: fc.string({ unit: "binary" }) })),
  kind("lease", fc.record({ state: fc.string() })),
  kind("gate", fc.record({ seen: json })),
  kind("run.end", fc.record({ state: fc.string() })),
)
  // Values outside of JSON, such as -0, do not survive the round trip.
  .map((one) => JSON.parse(JSON.stringify(one)));

Deno.test("journal: any records read back as the same history", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 40 }), async (records) => {
      const { bytes, written } = await makeJournal(records);
      const found = await read(bytes);
      assert.equal(found.end.seq, records.length);
      assert.deepEqual(found.history, foldRecords(written));
    }),
    { numRuns: 300 },
  );
});

Deno.test("a journal truncated anywhere is a beginning, and continues from there", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { minLength: 1, maxLength: 8 }),
      record,
      async (records, next) => {
        const { bytes, written } = await makeJournal(records);
        for (let length = 0; length <= bytes.length; length += 7) {
          const cut = await read(bytes.subarray(0, length));
          const before = written.slice(0, cut.end.seq);
          assert.deepEqual(cut.history, foldRecords(before));
          const store = memoryStore();
          await store.write(bytes.slice(0, cut.bytes));
          const journal = writeJournal(store, cut.end, ticking());
          const last = loose(await journal.append(whole(next)));
          const all = await read(store.content());
          assert.equal(all.torn, false);
          assert.deepEqual(all.history, foldRecords([...before, last]));
        }
      },
    ),
    { numRuns: 20 },
  );
});

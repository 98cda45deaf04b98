import assert from "node:assert/strict";
import { hideInJournal } from "../../../../commands/runbook/_run/hiding.ts";
import type { NewRecord } from "../../../../workflows/runbooks/journal/record.ts";

const mask = (text: string) => text.replaceAll("hunter22", "******");

Deno.test("hideInJournal hides them in results, not in what is compared later", async () => {
  const written: NewRecord[] = [];
  const journal = hideInJournal({
    append: (record) => {
      written.push(record);
      return Promise.resolve({ v: 1, seq: 1, ts: "", h: "", ...record });
    },
  }, mask);
  await journal.append({ t: "result", p: "a", d: { message: "hunter22" } });
  await journal.append({ t: "intent", p: "a", d: { key: "hunter22" } });
  await journal.append({ t: "run.resume" });
  assert.deepEqual(written, [
    { t: "result", p: "a", d: { message: "******" } },
    { t: "intent", p: "a", d: { key: "hunter22" } },
    { t: "run.resume" },
  ]);
});

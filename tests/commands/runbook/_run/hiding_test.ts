import assert from "node:assert/strict";
import {
  hideInError,
  hideInJournal,
  withoutSecrets,
} from "../../../../commands/runbook/_run/hiding.ts";
import { OsctlError } from "../../../../errors.ts";
import type { NewRecord } from "../../../../workflows/runbooks/journal/record.ts";

const mask = (text: string) => text.replaceAll("hunter22", "******");

Deno.test("withoutSecrets hides them at any depth, and leaves the rest as it was", () => {
  const clean = { a: [1, "x"] };
  assert.equal(withoutSecrets(clean, mask), clean);
  assert.deepEqual(
    withoutSecrets({ a: ["hunter22!"], b: { hunter22: 1 } }, mask),
    { a: ["******!"], b: { "******": 1 } },
  );
});

Deno.test("hideInError hides them in message, hint, stack and cause, and keeps the class", () => {
  const cause = new Error("it said hunter22");
  const error = new OsctlError("Cannot use hunter22", {
    hint: "Not hunter22",
    cause,
  });
  assert.equal(hideInError(error, mask), error);
  assert.equal(error.message, "Cannot use ******");
  assert.equal(error.hint, "Not ******");
  assert.equal(cause.message, "it said ******");
  assert.ok(!`${error.stack}${cause.stack}`.includes("hunter22"));
});

Deno.test("hideInError takes what is no error, and causes in a circle", () => {
  assert.equal(hideInError("hunter22", mask), "hunter22");
  const error = new Error("hunter22");
  error.cause = error;
  hideInError(error, mask);
  assert.equal(error.message, "******");
});

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

import assert from "node:assert/strict";
import { otherRun } from "../../../../workflows/runbooks/lock/lock_conflict.ts";
import { OsctlError } from "../../../../errors.ts";
import { bookOf } from "../plan/_paper.ts";

const clock = { now: () => 0, sleep: () => Promise.resolve() };
const steps = "steps: [{ id: s, sleep: 1s }]\n";

Deno.test("a run that locks nothing has no conflict", async () => {
  const { runbook } = await bookOf(`\npolicy: { lock: none }\n${steps}`, {});
  const found = await otherRun(runbook, {
    runs: "/nowhere",
    cluster: "c1",
    kubernetes: () => {
      throw new TypeError("Nobody asks Kubernetes");
    },
    clock,
  });
  assert.equal(found, undefined);
});

Deno.test("a Kubernetes that does not answer knows of no other run", async () => {
  const { runbook } = await bookOf(steps, {});
  const found = await otherRun(runbook, {
    runs: "/nowhere",
    cluster: "c1",
    kubernetes: () => Promise.reject(new OsctlError("It is away")),
    clock,
  });
  assert.equal(found, undefined);
});

Deno.test("programming errors are no other run", async () => {
  const { runbook } = await bookOf(steps, {});
  const asked = otherRun(runbook, {
    runs: "/nowhere",
    cluster: "c1",
    kubernetes: () => Promise.reject(new TypeError("A bug")),
    clock,
  });
  await assert.rejects(asked, { message: "A bug" });
});

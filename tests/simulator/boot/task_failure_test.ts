import assert from "node:assert/strict";
import { TaskFailure } from "../../../simulator/boot/task_failure.ts";

Deno.test("the failure of a task is told from other errors", () => {
  const failure = new TaskFailure("no room");
  assert.ok(failure instanceof Error);
  assert.deepEqual([failure.name, failure.message], ["TaskFailure", "no room"]);
});

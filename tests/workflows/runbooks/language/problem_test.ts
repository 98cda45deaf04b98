import assert from "node:assert/strict";
import { RunbookError } from "../../../../workflows/runbooks/language/problem.ts";

const at = (file: string, line: number, column = 1) => ({ file, line, column });

Deno.test("RunbookError puts one problem into one line, and cuts many", () => {
  const one = { place: at("a.yaml", 1), message: "Wrong" };
  assert.equal(
    new RunbookError("a.yaml", [one]).message,
    'Cannot use runbook "a.yaml": a.yaml:1:1: Wrong',
  );
  const many = Array.from({ length: 102 }, (_, i) => ({
    place: at("a.yaml", i + 1),
    message: "Wrong",
  }));
  const error = new RunbookError("a.yaml", many);
  assert.match(error.message, /a.yaml:100:1: Wrong\n {2}and 2 more$/);
  assert.equal(error.problems.length, 102);
});

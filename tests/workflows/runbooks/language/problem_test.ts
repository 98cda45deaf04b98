import assert from "node:assert/strict";
import { RunbookError } from "../../../../workflows/runbooks/language/problem.ts";

const at = (file: string, line: number, column = 1) => ({ file, line, column });

Deno.test("RunbookError tells each problem once, from top to bottom", () => {
  const error = new RunbookError("b.yaml", [
    { place: at("b.yaml", 2), message: "Later" },
    { place: at("a.yaml", 1), message: "Other" },
    { place: at("b.yaml", 1, 9), message: "Behind" },
    { place: at("b.yaml", 1, 2), message: "First" },
    { place: at("b.yaml", 2), message: "Later" },
  ]);
  assert.equal(
    error.message,
    `Cannot use runbook "b.yaml":
  b.yaml:1:2: First
  b.yaml:1:9: Behind
  b.yaml:2:1: Later
  a.yaml:1:1: Other`,
  );
  assert.equal(error.status, 2);
});

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

import assert from "node:assert/strict";
import {
  DocumentsError,
  inOneLine,
  type Problem,
} from "../../../config/documents/problem.ts";

Deno.test("inOneLine omits the middle of very long texts", () => {
  assert.equal(inOneLine("a".repeat(1000)), "a".repeat(1000));
  const long = `${"a".repeat(5000)}${"b".repeat(5000)}`;
  assert.equal(inOneLine(long), `${"a".repeat(500)}…${"b".repeat(250)}`);
});

const full: Problem = {
  level: "error",
  path: "machine.type",
  message: 'Machine type "x" does not exist',
  hint: "Give worker",
  at: { file: "a.yaml", line: 3, column: 5 },
};
const bare: Problem = { level: "error", path: "", message: "Nothing is here" };

Deno.test("several errors are reported in a line each", () => {
  assert.equal(
    new DocumentsError('"f"', [full, bare]).message,
    `Cannot use "f":
  a.yaml:3:5: machine.type: Machine type "x" does not exist (Give worker)
  Nothing is here`,
  );
});

import assert from "node:assert/strict";
import type { Problem } from "../../../config/documents/problem.ts";
import {
  faultText,
  placeText,
  problemText,
  refusal,
  refuse,
} from "../../../config/documents/refusal.ts";
import { ConfigError } from "../../../errors.ts";

const full: Problem = {
  level: "error",
  path: "machine.type",
  message: 'Machine type "x" does not exist',
  hint: "Give worker",
  at: { file: "a.yaml", line: 3, column: 5 },
};
const bare: Problem = { level: "error", path: "", message: "Nothing is here" };
const warning: Problem = { ...full, level: "warning" };

Deno.test("a problem is one line with place, path, fault and remedy", () => {
  assert.equal(
    problemText(full),
    'a.yaml:3:5: machine.type: Machine type "x" does not exist (Give worker)',
  );
  assert.equal(problemText(bare), "Nothing is here");
  assert.equal(placeText(full), "a.yaml:3:5: ");
  assert.equal(placeText(bare), "");
  assert.equal(
    faultText(full),
    'machine.type: Machine type "x" does not exist (Give worker)',
  );
});

Deno.test("one error is told in the line of the refusal", () => {
  const error = refusal('patch "p"', [full]);
  assert.ok(error instanceof ConfigError);
  assert.equal(error.status, 2);
  assert.equal(
    error.message,
    'Cannot use patch "p": a.yaml:3:5: machine.type: Machine type "x" does not exist (Give worker)',
  );
});

Deno.test("several errors are told in a line each", () => {
  assert.equal(
    refusal('"f"', [full, bare]).message,
    `Cannot use "f":
  a.yaml:3:5: machine.type: Machine type "x" does not exist (Give worker)
  Nothing is here`,
  );
});

Deno.test("refuse tells errors only", () => {
  assert.throws(() => refuse('"f"', [warning, bare, warning]), {
    message: 'Cannot use "f": Nothing is here',
  });
});

Deno.test("refuse lets warnings and nothing pass", () => {
  refuse('"f"', [warning]);
  refuse('"f"', []);
});

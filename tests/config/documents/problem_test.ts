import assert from "node:assert/strict";
import {
  faultText,
  inOneLine,
  pathText,
  placeText,
  type Problem,
  problemText,
  refusal,
  refuse,
} from "../../../config/documents/problem.ts";
import { ConfigError } from "../../../errors.ts";

Deno.test("pathText joins keys and indices, odd keys in quotes", () => {
  assert.equal(
    pathText(["machine", "network", "interfaces", 0, "mtu"]),
    "machine.network.interfaces[0].mtu",
  );
  assert.equal(
    pathText(["machine", "nodeLabels", "a.b/c d"]),
    'machine.nodeLabels."a.b/c d"',
  );
  assert.equal(pathText([]), "");
});

Deno.test("inOneLine omits the middle of very long texts", () => {
  assert.equal(inOneLine("a".repeat(1000)), "a".repeat(1000));
  const long = `${"a".repeat(5000)}${"b".repeat(5000)}`;
  assert.equal(inOneLine(long), `${"a".repeat(500)}…${"b".repeat(250)}`);
});

Deno.test("inOneLine makes spaces of control characters", () => {
  assert.equal(inOneLine("a\r\n\tb\x1b[0m\x9b"), "a b [0m ");
});

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

Deno.test("one error is reported in the line of the refusal", () => {
  const error = refusal('patch "p"', [full]);
  assert.ok(error instanceof ConfigError);
  assert.equal(error.status, 2);
  assert.equal(
    error.message,
    'Cannot use patch "p": a.yaml:3:5: machine.type: Machine type "x" does not exist (Give worker)',
  );
});

Deno.test("several errors are reported in a line each", () => {
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

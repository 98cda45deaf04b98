import assert from "node:assert/strict";
import {
  checkExpression,
  evaluate,
} from "../../../workflows/runbook_cel/expression.ts";
import { field, world } from "./_scope.ts";

// Values, operators and functions, by the specification of the language.

const names = { x: field("any") };

function run(source: string, x: null | number | string = null) {
  return evaluate(source, names, { x }, world);
}

const values: Readonly<Record<string, readonly [string, unknown][]>> = {
  "integer arithmetic": [
    ["40 + 2", 42],
    ["7 / 2", 3],
    ["-7 / 2", -3],
    ["-7 % 3", -1],
    ["7 % -3", 1],
    ["2 * -3", -6],
    ["-(-5)", 5],
    ["0x1F", 31],
    ["1 + 2 * 3", 7],
    ["(1 + 2) * 3", 9],
  ],
  "floating point": [
    ["0.5 + 0.25", 0.75],
    ["1.0 / 4.0", 0.25],
    ["1e3", 1000],
    ["-2.5", -2.5],
  ],
  "comparison": [
    ["1 < 2", true],
    ["2 <= 2", true],
    ["'a' < 'b'", true],
    ["'B' < 'a'", true],
    ["true > false", true],
    ["1 != 2", true],
    ["[1, 2] == [1, 2]", true],
    ["[1, 2] == [2, 1]", false],
    ["{'a': 1, 'b': 2} == {'b': 2, 'a': 1}", true],
    ["null == null", true],
    ["duration('60s') == duration('1m')", true],
    ["duration('61s') > duration('1m')", true],
  ],
  "logic": [
    ["true && false", false],
    ["true || false", true],
    ["!true", false],
    ["false && 1 / 0 == 0", false],
    ["1 / 0 == 0 && false", false],
    ["true || 1 / 0 == 0", true],
    ["1 / 0 == 0 || true", true],
    ["true ? 1 : 2", 1],
    ["false ? 1 / 0 : 2", 2],
  ],
  "texts": [
    ["'a' + 'b'", "ab"],
    ['"a\\nb"', "a\nb"],
    ["r'a\\nb'", "a\\nb"],
    ["'\\u00e9'", "é"],
    ["size('été')", 3],
    ["'abc'.contains('bc')", true],
    ["'abc'.startsWith('ab')", true],
    ["'abc'.endsWith('bc')", true],
    ["'abc'.startsWith('')", true],
    ["'' == ''", true],
  ],
  "lists": [
    ["size([1, 2, 3])", 3],
    ["[1, 2] + [3]", [1, 2, 3]],
    ["[1, 2, 3][1]", 2],
    ["2 in [1, 2]", true],
    ["3 in [1, 2]", false],
    ["[].size()", 0],
  ],
  "maps": [
    ["{'a': 1}.a", 1],
    ["{'a': 1}['a']", 1],
    ["'a' in {'a': 1}", true],
    ["'b' in {'a': 1}", false],
    ["size({'a': 1, 'b': 2})", 2],
  ],
  "macros": [
    ["[1, 2, 3].all(n, n > 0)", true],
    ["[].all(n, n == 0)", true],
    ["[1, 2, 3].exists(n, n > 2)", true],
    ["[].exists(n, n == 2)", false],
    ["[1, 2, 3].exists_one(n, n > 2)", true],
    ["[3, 3].exists_one(n, n > 2)", false],
    ["[1, 2].map(n, n * 2)", [2, 4]],
    ["[1, 2, 3].filter(n, n % 2 == 1)", [1, 3]],
    ["[1, 2, 3].map(n, n > 1, n * n)", [4, 9]],
    ["{'a': 1}.exists(k, k == 'a')", true],
    ["[1, 0].exists(n, 1 / n == 1)", true],
    ["[0, 1].exists(n, 1 / n == 1)", true],
    ["[[1], [2, 3]].map(l, l.map(n, n + 1))", [[2], [3, 4]]],
  ],
  "conversion": [
    ["int('42')", 42],
    ["int(3.9)", 3],
    ["int(-3.9)", -3],
    ["double('0.5')", 0.5],
    ["double(2)", 2],
    ["string(42)", "42"],
    ["string(true)", "true"],
    ["bool('true')", true],
    ["dyn(1) == 1", true],
  ],
  "time": [
    [
      "timestamp('2026-01-02T03:04:05Z') + duration('1h')",
      "2026-01-02T04:04:05.000Z",
    ],
    [
      "timestamp('2026-01-02T00:00:00Z') - timestamp('2026-01-01T00:00:00Z')",
      "24h0m0s",
    ],
    ["timestamp('2026-01-02T03:04:05Z').getFullYear()", 2026],
    ["timestamp('2026-01-02T03:04:05Z').getMonth()", 0],
    ["timestamp('2026-01-02T03:04:05Z').getDayOfMonth()", 1],
    ["timestamp('2026-01-02T03:04:05Z').getHours()", 3],
    ["duration('1h30m').getMinutes()", 90],
    ["duration('90s') - duration('2m')", "-30s"],
    [
      "timestamp('2026-01-02T03:04:05+02:00') == timestamp('2026-01-02T01:04:05Z')",
      true,
    ],
  ],
};

for (const [subject, table] of Object.entries(values)) {
  Deno.test(`${subject}: values are those of the specification`, () => {
    for (const [source, expected] of table) {
      assert.deepEqual(run(source), expected, source);
    }
  });
}

Deno.test("CEL conformance: expressions without a value", () => {
  const sources = [
    "1 / 0",
    "1 % 0",
    "9223372036854775807 + 1",
    "-9223372036854775807 - 2",
    "[1][1]",
    "[1][-1]",
    "{'a': 1}['b']",
    "int('x')",
    "duration('1d')",
    "timestamp('yesterday')",
    "[1, 0].all(n, 1 / n == 1)",
    "dyn(1) + dyn('a')",
  ];
  for (const source of sources) {
    assert.throws(() => run(source), /Cannot evaluate/, source);
  }
});

Deno.test("CEL conformance: expressions without a type", () => {
  const sources = [
    "1 + 1.0",
    "1 + 'a'",
    "'a' - 'b'",
    "1 && true",
    "!1",
    "-'a'",
    "1 < 'a'",
    "size(1)",
    "1 ? 2 : 3",
    "[1].map(n)",
    "unknown",
    "'a'.foo()",
  ];
  for (const source of sources) {
    assert.ok("fault" in checkExpression(source, names), source);
  }
});

Deno.test("CEL conformance: syntax errors have a position", () => {
  const table: readonly [string, number][] = [
    ["", 0],
    ["1 +", 3],
    ["(1", 2],
    ["a b", 2],
    ["'a", 0],
    ["1 = 2", 2],
    ["if (a) b", 0],
  ];
  for (const [source, offset] of table) {
    const checked = checkExpression(source, names);
    assert.equal("fault" in checked && checked.fault.offset, offset, source);
  }
});

Deno.test("elements of an empty list in the source cannot be compared by size", () => {
  const checked = checkExpression("[].all(n, n > 0)", names);
  assert.match("fault" in checked ? checked.fault.message : "", /overlaps/);
});

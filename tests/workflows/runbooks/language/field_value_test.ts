import assert from "node:assert/strict";
import type { Json } from "../../../../lib/json.ts";
import type {
  FieldType,
  ValueField,
} from "../../../../workflows/runbook_cel/field.ts";
import { valueFaults } from "../../../../workflows/runbooks/language/field_value.ts";

const cases: readonly (readonly [
  type: FieldType,
  right: readonly Json[],
  wrong: readonly Json[],
])[] = [
  ["string", ["", "a"], [1, true, [], {}]],
  ["int", [0, -1, 2], [1.5, "1", true, 2 ** 60]],
  ["double", [0, 1.5], ["1.5", true]],
  ["bool", [true, false], ["true", 1]],
  ["duration", ["5m", 0, "0"], [5, "5", "-5m", "x", true]],
  ["timestamp", ["2026-08-22T20:00:00Z", "2026-08-22T20:00:00.5+02:00"], [
    "2026-08-22",
    "2026-13-22T20:00:00Z",
    1,
  ]],
  ["semver", ["v1.2.3", "1.2.3-rc.1"], ["1.2", 1.2, "x"]],
  ["enum", ["a", "b"], ["c", 1]],
  ["countOrPercent", [0, 5, "25%"], [-1, 1.5, "5", "x"]],
  ["path", ["./x"], ["", 1]],
  ["node", ["n1"], ["", 1]],
  ["nodes", [["n1"], []], ["n1", [1], [""]]],
  ["secret", [], ["hush", { secret: "x" }]],
  ["list", [[1, "a"], []], [{}, "a"]],
  ["map", [{}, { a: 1 }], [[], "a"]],
  ["object", [{}, { a: 1 }], [[], "a"]],
  ["any", [1, "a", [], {}, true], []],
];
for (const [type, right, wrong] of cases) {
  Deno.test(`valueFaults knows what a ${type} is`, () => {
    const field: ValueField = { type, summary: "", values: ["a", "b"] };
    const isWrong = (value: Json) => valueFaults(value, field).length > 0;
    assert.deepEqual(right.filter(isWrong), []);
    assert.deepEqual(wrong.filter((value) => !isWrong(value)), []);
    assert.deepEqual(valueFaults("${{ inputs.x }}", field), []);
    assert.deepEqual(valueFaults(null, field), []);
  });
}

Deno.test("valueFaults says where in a value it is wrong", () => {
  const size: ValueField = { type: "int", summary: "" };
  const field: ValueField = {
    type: "map",
    summary: "",
    items: {
      type: "list",
      summary: "",
      items: { type: "object", summary: "", fields: { size } },
    },
  };
  assert.deepEqual(valueFaults({ a: [{ size: 1 }, { size: "x" }] }, field), [{
    path: ["a", 1, "size"],
    message: '"x" is not a whole number',
    hint: "Give a whole number such as 3",
  }]);
});

Deno.test("valueFaults cuts long values and hides secrets", () => {
  const [long] = valueFaults("x".repeat(100), { type: "int", summary: "" });
  assert.equal(long?.message, `"${"x".repeat(59)}… is not a whole number`);
  const [secret] = valueFaults("hush", { type: "secret", summary: "" });
  assert.doesNotMatch(JSON.stringify(secret), /hush/);
});

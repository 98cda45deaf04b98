import assert from "node:assert/strict";
import { assert as holds, property, string } from "fast-check";
import {
  checkExpression,
  type ExpressionEnvironment,
} from "../../../config/document_cel/check.ts";
import { accepted } from "./_accepted.ts";
import { refused } from "./_refused.ts";

const places: readonly ExpressionEnvironment[] = [
  "disk",
  "volume",
  "link",
  "oom-trigger",
  "oom-ranking",
];

for (const place of places) {
  Deno.test(`checkExpression takes what a node takes for ${place}`, () => {
    const faults = accepted[place].flatMap((text) => {
      const fault = checkExpression(text, place);
      return fault === undefined ? [] : { text, ...fault };
    });
    assert.deepEqual(faults, []);
  });

  Deno.test(`checkExpression says what is wrong and where for ${place}`, () => {
    const lines = refused[place].split("\n").slice(1, -1);
    const said = lines.flatMap((text, i) => {
      if (i % 2 === 1) return [];
      const fault = checkExpression(text, place);
      if (fault === undefined) return [text, "is taken"];
      const { offset, message, hint } = fault;
      const arrow = hint === undefined ? "" : ` -> ${hint}`;
      return [text, `${" ".repeat(offset)}^ ${message}${arrow}`];
    });
    assert.deepEqual(said, lines);
  });
}

Deno.test("checkExpression refuses an empty expression", () => {
  const fault = { message: "Expression is empty", offset: 0 };
  assert.deepEqual(checkExpression("", "disk"), fault);
  assert.deepEqual(checkExpression(" \n", "disk"), fault);
});

Deno.test("checkExpression knows no names that every JavaScript object has", () => {
  for (const text of ["constructor", "toString()", "disk.valueOf()"]) {
    assert.match(
      checkExpression(text, "disk")?.message ?? "",
      /^Unknown (name|function) "/,
    );
  }
});

Deno.test("checkExpression finds a fault or none in any text, and points into it", () => {
  const words = string({ unit: "binary", maxLength: 40 });
  holds(property(words, (text) => {
    const fault = checkExpression(text, "oom-trigger");
    assert.ok(
      fault === undefined || fault.offset >= 0 && fault.offset <= text.length,
    );
  }));
});

Deno.test("checkExpression ends soon for optional values of optional values", () => {
  const text = `memory_max${".optMap(x, x)".repeat(60)}.hasValue()`;
  assert.equal(
    checkExpression(`${text} ? 1.0 : 0.0`, "oom-ranking"),
    undefined,
  );
});

Deno.test("checkExpression refuses what nodes find too deep or too long", () => {
  const nested = (levels: number) =>
    `${"(".repeat(levels)}true${")".repeat(levels)}`;
  const summed = (operators: number) => `1${" + 1".repeat(operators)} == 1`;
  const message = "Expression is nested deeper than 250 levels";
  assert.equal(checkExpression(nested(249), "disk"), undefined);
  assert.equal(checkExpression(nested(250), "disk")?.message, message);
  assert.equal(checkExpression(summed(249), "disk"), undefined);
  assert.equal(checkExpression(summed(250), "disk")?.message, message);
  assert.deepEqual(checkExpression(" ".repeat(100_001), "disk"), {
    message: "Expression has 100001 characters, the limit is 100000",
    offset: 0,
  });
  const smileys = `"${"😀".repeat(60_000)}" == ""`;
  assert.equal(checkExpression(smileys, "disk"), undefined);
});

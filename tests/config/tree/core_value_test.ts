import assert from "node:assert/strict";
import { readDocuments } from "../../../config/tree/read.ts";
import { coreValue } from "../../../config/tree/core_value.ts";

function value(text: string) {
  const [document] = readDocuments(`[${text}]`, "f.yaml").documents;
  const list = coreValue(document?.root);
  return Array.isArray(list) ? list[0] : undefined;
}

Deno.test("coreValue knows the words and numbers of YAML 1.2, and no others", () => {
  const texts =
    `true True FALSE null ~ 1 -2 +3 0x1F 0o17 017 1.5 .5 1e3 1_000 yes on 0b1 .inf .nan 1:30 2026-08-22 "1" 1.2.3 1e999`;
  assert.deepEqual(texts.split(" ").map(value), [
    true,
    true,
    false,
    null,
    null,
    1,
    -2,
    3,
    31,
    15,
    17,
    1.5,
    0.5,
    1000,
    "1_000",
    "yes",
    "on",
    "0b1",
    ".inf",
    ".nan",
    "1:30",
    "2026-08-22",
    "1",
    "1.2.3",
    "1e999",
  ]);
});

Deno.test("coreValue keeps lists, mappings and odd keys", () => {
  assert.equal(
    JSON.stringify(value("{ a: [1, { b: }], __proto__: 2, constructor: x }")),
    '{"a":[1,{"b":null}],"__proto__":2,"constructor":"x"}',
  );
  assert.equal(coreValue(undefined), null);
});

import assert from "node:assert/strict";
import { environments } from "../../../config/document_cel/environments.ts";
import {
  mixedElements,
  notListed,
  notWalked,
  tooDeep,
  wrongResult,
} from "../../../config/document_cel/type_errors.ts";
import type { Node } from "../../../config/document_cel/syntax.ts";
import { readType } from "../../../config/document_cel/types.ts";

const { disk } = environments;
const name: Node = { kind: "name", name: "Sistem_disk", offset: 4 };
const uint = readType("uint");

Deno.test("other faults name types and macros", () => {
  const optional = readType("optional(list(int))");
  const walked = notWalked(name, optional);
  assert.equal(walked.hint, "Unwrap the value with orValue(…)");
  assert.match(notListed(name, uint).message, /^Element is uint/);
  assert.match(tooDeep(name, 250).message, /deeper than 250 levels$/);
  assert.equal(
    wrongResult(name, optional, disk).message,
    "Expression is optional(list(int)), must be bool",
  );
  const loop = {
    kind: "loop",
    range: name,
    variable: "x",
    accumulator: "a",
    initial: name,
    condition: name,
    step: name,
    result: name,
    macro: "map",
    offset: 7,
  } as const;
  assert.equal(
    mixedElements(loop).message,
    'Elements made by "map" have different types',
  );
});

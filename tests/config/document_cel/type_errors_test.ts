import assert from "node:assert/strict";
import { environments } from "../../../config/document_cel/environments.ts";
import {
  mixed,
  noFields,
  notListed,
  notTruth,
  notWalked,
  tooDeep,
  unknownField,
  unknownFunction,
  unknownName,
  wrongResult,
} from "../../../config/document_cel/type_errors.ts";
import type { CallNode, Node } from "../../../config/document_cel/syntax.ts";
import { readType } from "../../../config/document_cel/types.ts";

const { disk } = environments;
const name: Node = { kind: "name", name: "Sistem_disk", offset: 4 };
const uint = readType("uint");

Deno.test("unknownName finds the nearest name, macros' own included", () => {
  assert.equal(unknownName(name, disk).hint, 'Did you mean "system_disk"?');
  const local = { ...name, name: "elemnt" };
  assert.equal(
    unknownName(local, disk, ["element", "@result"]).hint,
    'Did you mean "element"?',
  );
  const other = { ...name, name: "nvme" };
  assert.equal(unknownName(other, disk).hint, "Put strings in quotes");
});

Deno.test("unknownFunction looks among functions or among methods", () => {
  const call: CallNode = { kind: "call", name: "contain", args: [], offset: 2 };
  assert.equal(unknownFunction(call, disk).hint, undefined);
  const target: Node = { kind: "name", name: "x", offset: 0 };
  const method = unknownFunction({ ...call, target }, disk);
  assert.equal(method.hint, 'Did you mean "contains"?');
  assert.equal(method.offset, 2);
});

Deno.test("unknownField lists fields when none is near", () => {
  const operand: Node = { kind: "name", name: "x", offset: 0 };
  const field = { kind: "select", operand, style: "plain", offset: 2 } as const;
  const fields = new Map([["vid", uint], ["protocol", uint]]);
  const type = readType("vlan");
  assert.equal(
    unknownField({ ...field, field: "name" }, type, fields).hint,
    "Its fields are vid, protocol",
  );
  assert.equal(
    unknownField({ ...field, field: "VID" }, type, fields).hint,
    'Did you mean "vid"?',
  );
  const { message } = noFields({ ...field, field: "a" }, uint);
  assert.equal(message, 'Unknown field "a": uint has no fields');
});

Deno.test("notTruth points to the operand and names the macro", () => {
  const row: CallNode = {
    kind: "call",
    name: "_||_",
    args: [name, name],
    offset: 20,
  };
  const plain = notTruth(row, 1, uint);
  assert.equal(plain.message, 'Operand of "||" is uint, must be bool');
  assert.equal(plain.offset, 4);
  const { message } = notTruth({ ...row, macro: "exists" }, 1, uint);
  assert.equal(message, 'Condition of "exists" is uint, must be bool');
});

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
    mixed(loop).message,
    'Elements made by "map" have different types',
  );
});

import assert from "node:assert/strict";
import { readFunctions } from "../../../config/document_cel/functions.ts";
import { argumentError } from "../../../config/document_cel/argument_errors.ts";
import type { CallNode, Node } from "../../../config/document_cel/syntax.ts";
import { readType } from "../../../config/document_cel/types.ts";

const a: Node = { kind: "name", name: "a", offset: 0 };

function describeError(
  call: Partial<CallNode>,
  types: string,
  signatures?: string,
) {
  const node: CallNode = {
    kind: "call",
    name: "f",
    args: [],
    offset: 2,
    ...call,
  };
  const given = types.split(" ").map(readType);
  const overloads = signatures === undefined
    ? undefined
    : readFunctions({ f: signatures }).get("f");
  const { message, hint } = argumentError(node, given, overloads);
  return [message, hint];
}

Deno.test("argumentError lists the ways to call a method", () => {
  const call = { name: "size", target: a };
  assert.deepEqual(
    describeError(call, "uint", "bytes -> int; list(A) -> int"),
    [
      'Function "size" of uint cannot take ()',
      "It can be called as bytes.size(), list(dyn).size()",
    ],
  );
});

import assert from "node:assert/strict";
import { standardMacros } from "../../../config/document_cel/macros.ts";
import {
  acceptOptional,
  peek,
  type TokenReader,
  unexpectedToken,
} from "../../../config/document_cel/reader.ts";
import { tokenize } from "../../../config/document_cel/tokens.ts";

function makeReader(text: string, optionals = false): TokenReader {
  const macros = standardMacros;
  return { tokens: tokenize(text), next: 0, depth: 0, optionals, macros };
}

Deno.test("peek looks ahead and never past the end", () => {
  const reader = makeReader("( a");
  assert.equal(peek(reader, 1).text, "a");
  assert.equal(peek(reader, 9).kind, "end");
  assert.equal(reader.next, 0);
});

Deno.test("acceptOptional refuses the mark where nothing is optional", () => {
  assert.equal(acceptOptional(makeReader("? a", true)), true);
  assert.equal(acceptOptional(makeReader("a")), false);
  assert.throws(() => acceptOptional(makeReader("? a")), {
    message: 'Optional values ("?") are not supported here',
  });
});

function describeError(text: string, index: number, expected?: string) {
  const { message, offset, hint } = unexpectedToken(
    tokenize(text),
    index,
    expected,
  );
  return { message, offset, hint };
}

Deno.test("unexpectedToken writes texts with their own quotes only", () => {
  assert.equal(describeError('a "b"', 1).message, 'Unexpected "b"');
  assert.equal(describeError("a `b`", 1).message, 'Unexpected "`b`"');
});

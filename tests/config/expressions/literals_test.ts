import assert from "node:assert/strict";
import {
  isSignable,
  readLiteral,
} from "../../../config/expressions/literals.ts";
import { standardMacros } from "../../../config/expressions/macros.ts";
import type { Reader } from "../../../config/expressions/reader.ts";
import { tokensOf } from "../../../config/expressions/tokens.ts";

function readerOf(text: string): Reader {
  const tokens = tokensOf(text);
  return {
    tokens,
    next: 0,
    depth: 0,
    optionals: false,
    macros: standardMacros,
  };
}

Deno.test("isSignable is true for signed numbers only", () => {
  const tokens = tokensOf("1 1.5 1u a");
  assert.deepEqual(tokens.map(isSignable), [true, true, false, false, false]);
});

Deno.test("readLiteral keeps sign and text", () => {
  assert.deepEqual(readLiteral(readerOf("0x10"), "-"), {
    kind: "literal",
    type: "int",
    text: "-0x10",
    offset: 0,
  });
});

Deno.test("readLiteral knows how far numbers go", () => {
  const least = "9223372036854775808";
  assert.equal(readLiteral(readerOf(least), "-").kind, "literal");
  for (
    const [text, sign] of [
      [least, ""],
      ["9223372036854775809", "-"],
      ["0xffffffffffffffff", ""],
      ["18446744073709551616u", ""],
      ["1e400", ""],
    ] as const
  ) {
    assert.throws(() => readLiteral(readerOf(text), sign), {
      message: `Number ${sign}${text} is out of range`,
    });
  }
});

Deno.test("readLiteral refuses what is no value", () => {
  assert.throws(() => readLiteral(readerOf("+"), ""), {
    message: 'Unexpected "+"',
  });
});

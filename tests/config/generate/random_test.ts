import assert from "node:assert/strict";
import {
  randomCharacters,
  randomToken,
} from "../../../config/generate/random.ts";
import { platformBytes } from "../../../pki/random_bytes.ts";

/** Gives these bytes, as many at a time as asked for. */
function giving(...bytes: readonly number[]): {
  readonly random: (length: number) => Uint8Array;
  readonly asked: number[];
} {
  const left = [...bytes];
  const asked: number[] = [];
  const random = (length: number) => {
    asked.push(length);
    return Uint8Array.from(left.splice(0, length));
  };
  return { random, asked };
}

Deno.test("a token has 6 and 16 lower-case letters and digits", () => {
  for (let count = 0; count < 100; count++) {
    assert.match(randomToken(platformBytes), /^[0-9a-z]{6}\.[0-9a-z]{16}$/);
  }
});

Deno.test("every character stands for seven bytes", () => {
  const all = Array.from({ length: 252 }, (_, byte) => byte);
  const { random } = giving(...all);
  assert.equal(
    randomCharacters(252, random),
    "0123456789abcdefghijklmnopqrstuvwxyz".repeat(7),
  );
});

Deno.test("bytes that would make some characters likelier are drawn again", () => {
  const { random, asked } = giving(10, 252, 253, 11, 254, 12, 255, 13);
  assert.equal(randomCharacters(4, random), "abcd");
  assert.deepEqual(asked, [4, 2, 1, 1]);
});

/** Huffman code of header strings (RFC 7541, 5.2 and appendix B). */

/**
 * Length of the code of each byte and, last, of the end of string, in base 36. The code is canonical, so that its
 * lengths say everything.
 */
const lengths =
  "dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6ca" +
  "d67777777777777777777777878djde6f56565666577666567655677777fbeds" +
  "kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmnlmnnkmmmnmmn" +
  "qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq" +
  "u";

const longest = 30;

/** Symbols by length of their code, then by value. */
const symbols: number[] = [];
/** By length: how many codes there are, and the first of them. */
const counts = new Uint32Array(longest + 1);
const firsts = new Uint32Array(longest + 1);
/** By length: where its symbols begin. */
const offsets = new Uint32Array(longest + 1);

let next = 0;
for (let length = 1; length <= longest; length++) {
  firsts[length] = next;
  offsets[length] = symbols.length;
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    if (parseInt(lengths.charAt(symbol), 36) === length) symbols.push(symbol);
  }
  counts[length] = symbols.length - offsets[length]!;
  next = (next + counts[length]!) * 2;
}

const endOfString = 256;

/**
 * Decodes a header string.
 *
 * @param bytes The code, padded with ones.
 * @returns One character for each byte; `undefined` if it is no such code.
 */
export function decodeHuffman(bytes: Uint8Array): string | undefined {
  let text = "";
  let code = 0;
  let length = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + (byte >> bit & 1);
      length++;
      const index = code - firsts[length]!;
      if (index >= counts[length]!) {
        if (length === longest) return undefined;
        continue;
      }
      const symbol = symbols[offsets[length]! + index]!;
      if (symbol === endOfString) return undefined;
      text += String.fromCharCode(symbol);
      code = length = 0;
    }
  }
  const padded = length < 8 && code === 2 ** length - 1;
  return padded ? text : undefined;
}

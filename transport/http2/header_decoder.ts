/** Decodes header blocks (HPACK, RFC 7541). */

import {
  DynamicTable,
  fieldSize,
  type HeaderField,
  staticTable,
} from "./header_table.ts";

/** Invalid header block; the connection cannot be read any further. */
export class CompressionError extends Error {
  override readonly name = "CompressionError";
}

interface HeaderDecoderOptions {
  /** Maximum size of the dynamic table in bytes. */
  readonly tableSize: number;
  /** Maximum size of a header list in bytes (RFC 9113, 10.5.1). */
  readonly listSize: number;
}

/** Decodes the header blocks of a connection, in order. */
export class HeaderDecoder {
  readonly #options: HeaderDecoderOptions;
  readonly #table: DynamicTable;
  #block: Uint8Array = new Uint8Array();
  #at = 0;

  /** Creates a decoder with an empty table. */
  constructor(options: HeaderDecoderOptions) {
    this.#options = options;
    this.#table = new DynamicTable(options.tableSize);
  }

  /**
   * Decodes a block. Returns the fields in order; `undefined` if they are too large, after which the next
   * block can still be decoded. Throws `CompressionError` if the block is invalid.
   */
  decode(block: Uint8Array): readonly HeaderField[] | undefined {
    this.#block = block;
    this.#at = 0;
    const fields: HeaderField[] = [];
    let size = 0;
    while (this.#at < block.length) {
      const field = this.#next(fields.length === 0 && size === 0);
      if (field === undefined) continue;
      size += fieldSize(field);
      if (size <= this.#options.listSize) fields.push(field);
    }
    return size > this.#options.listSize ? undefined : fields;
  }

  /** Decodes one representation (RFC 7541, 6); `undefined` for a table size update. */
  #next(first: boolean): HeaderField | undefined {
    const byte = this.#block[this.#at]!;
    if (byte & 0x80) return this.#indexed(this.#integer(7));
    if (byte & 0x40) {
      const field = this.#literal(6);
      this.#table.add(field);
      return field;
    }
    if (!(byte & 0x20)) return this.#literal(4);
    const size = this.#integer(5);
    if (!first || size > this.#options.tableSize) {
      throw new CompressionError(`Table size ${size} is not allowed here`);
    }
    this.#table.resize(size);
    return undefined;
  }

  #literal(prefix: number): HeaderField {
    const index = this.#integer(prefix);
    const name = index === 0 ? this.#string() : this.#indexed(index)[0];
    return [name, this.#string()];
  }

  #indexed(index: number): HeaderField {
    const { length } = staticTable;
    const field = index <= length
      ? staticTable[index - 1]
      : this.#table.at(index - length - 1);
    if (field !== undefined) return field;
    throw new CompressionError(`There is no header field ${index}`);
  }

  /** RFC 7541, 5.1. */
  #integer(prefix: number): number {
    const most = 2 ** prefix - 1;
    const start = this.#byte() & most;
    if (start < most) return start;
    let value = most;
    for (let factor = 1; factor < 2 ** 28; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    throw new CompressionError("A number in a header block is too large");
  }

  /** RFC 7541, 5.2. */
  #string(): string {
    const isCoded = (this.#block[this.#at] ?? 0) >= 128;
    const end = this.#integer(7) + this.#at;
    if (end > this.#block.length) throw new CompressionError(cutOff);
    const bytes = this.#block.subarray(this.#at, end);
    this.#at = end;
    const text = isCoded ? decodeHuffman(bytes) : characters(bytes);
    if (text !== undefined) return text;
    throw new CompressionError("A header string is not in the Huffman code");
  }

  #byte(): number {
    const byte = this.#block[this.#at++];
    if (byte === undefined) throw new CompressionError(cutOff);
    return byte;
  }
}

const cutOff = "A header block is truncated";

function characters(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/**
 * Huffman code length of each byte and, last, of the end of string, in base 36. The code is canonical, so its
 * lengths define it.
 */
const lengths =
  "dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6ca" +
  "d67777777777777777777777878djde6f56565666577666567655677777fbeds" +
  "kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmnlmnnkmmmnmmn" +
  "qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq" +
  "u";

const longest = 30;

const symbols: number[] = [];
/** Number of codes, and the first code, by length. */
const counts = new Uint32Array(longest + 1);
const firsts = new Uint32Array(longest + 1);
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

/** Decodes a Huffman-coded string. Returns one character per byte; `undefined` if it is invalid. */
function decodeHuffman(bytes: Uint8Array): string | undefined {
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

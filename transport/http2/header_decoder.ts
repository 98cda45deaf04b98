/** Reading header blocks (HPACK, RFC 7541). */

import {
  DynamicTable,
  fieldSize,
  type HeaderField,
  staticTable,
} from "./header_table.ts";
import { decodeHuffman } from "./huffman.ts";

/** A header block breaks the rules; what follows on the connection cannot be read any more. */
export class CompressionError extends Error {
  /** Name of the class. */
  override readonly name = "CompressionError";
}

/** What a decoder allows. */
export interface HeaderDecoderOptions {
  /** Most bytes the other side may make us remember. */
  readonly tableSize: number;
  /** Largest list of one block in bytes (RFC 9113, 10.5.1). */
  readonly listSize: number;
}

/** Reads the header blocks of one connection, in order. */
export class HeaderDecoder {
  readonly #options: HeaderDecoderOptions;
  readonly #table: DynamicTable;
  #block: Uint8Array = new Uint8Array();
  #at = 0;

  /**
   * Makes a decoder with an empty table.
   *
   * @param options What it allows.
   */
  constructor(options: HeaderDecoderOptions) {
    this.#options = options;
    this.#table = new DynamicTable(options.tableSize);
  }

  /**
   * Reads one block.
   *
   * @param block All fragments together.
   * @returns The fields in order; `undefined` if they are larger than allowed, and the next block can be read all the same.
   * @throws {CompressionError} If it breaks the rules.
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

  /** Reads one representation (RFC 7541, 6); nothing for a change of the table's size. */
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

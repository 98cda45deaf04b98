/** Writing header blocks (HPACK, RFC 7541), in a way that needs no memory on either side. */

import { type HeaderField, staticTable } from "./header_table.ts";

const indexOfField = new Map<string, number>();
const indexOfName = new Map<string, number>();
for (const [place, [name, value]] of staticTable.entries()) {
  if (!indexOfName.has(name)) indexOfName.set(name, place + 1);
  if (value !== "") indexOfField.set(`${name}\n${value}`, place + 1);
}

/** Fields that nobody on the way may put into a table either (RFC 7541, 7.1.3): who has the value is let in. */
const secret = /^(?:authorization|cookie|proxy-authorization)$|signature|token/;

/**
 * Writes a header block.
 *
 * Nothing is put into the other side's table, so that no guess can be confirmed by the size of what is sent.
 *
 * @param fields Names in lower case, pseudo-header fields first; values of ASCII characters.
 */
export function encodeHeaders(fields: Iterable<HeaderField>): Uint8Array {
  const bytes: number[] = [];
  for (const field of fields) writeField(bytes, field);
  return new Uint8Array(bytes);
}

function writeField(bytes: number[], [name, value]: HeaderField): void {
  const known = indexOfField.get(`${name}\n${value}`);
  if (known !== undefined) return writeInteger(bytes, known, 7, 0x80);
  const index = indexOfName.get(name) ?? 0;
  writeInteger(bytes, index, 4, secret.test(name) ? 0x10 : 0);
  if (index === 0) writeString(bytes, name);
  writeString(bytes, value);
}

function writeString(bytes: number[], text: string): void {
  writeInteger(bytes, text.length, 7, 0);
  for (let at = 0; at < text.length; at++) bytes.push(text.charCodeAt(at));
}

function writeInteger(
  bytes: number[],
  value: number,
  prefix: number,
  pattern: number,
): void {
  const most = 2 ** prefix - 1;
  if (value < most) {
    bytes.push(pattern | value);
    return;
  }
  bytes.push(pattern | most);
  let rest = value - most;
  for (; rest > 127; rest >>>= 7) bytes.push(rest & 127 | 128);
  bytes.push(rest);
}

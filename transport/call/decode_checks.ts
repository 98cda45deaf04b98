/** What the generated decoders refuse, so that no message is read past its own end. */

/** Part of a `BinaryReader` of `@bufbuild/protobuf` that the checks need. */
interface Reader {
  /** Byte that is read next, from 0. */
  readonly pos: number;
  /** Passes over one value; throws if it is truncated, or has no such wire type. */
  skip(wireType: number, field: number): unknown;
}

/**
 * Passes over a field that its message does not know. Throws `Error` if no field can start with this
 * tag, or the field is truncated.
 */
export function skipUnknown(reader: Reader, tag: number): void {
  const field = tag >>> 3;
  if (field === 0) {
    throw new RangeError("Cannot decode message: field number is 0");
  }
  reader.skip(tag & 7, field);
}

/**
 * Makes sure that the last field ended where the message or packed list ends.
 *
 * @param reader Stands behind the last field.
 * @throws {RangeError} If the field went beyond it.
 */
export function checkEnd(reader: Reader, end: number): void {
  if (reader.pos !== end) {
    throw new RangeError(
      `Cannot decode message: ends at byte ${end}, its last field at ${reader.pos}`,
    );
  }
}

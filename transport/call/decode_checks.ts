/** Checks for the generated decoders, so that no message is read past its end. */

/** Subset of `BinaryReader` of `@bufbuild/protobuf`. */
interface Reader {
  /** Offset of the next byte. */
  readonly pos: number;
  /** Skips one value; throws if it is truncated or its wire type is invalid. */
  skip(wireType: number, field: number): unknown;
}

/** Skips an unknown field. Throws `Error` if the tag is invalid or the field is truncated. */
export function skipUnknown(reader: Reader, tag: number): void {
  const field = tag >>> 3;
  if (field === 0) {
    throw new RangeError("Cannot decode message: field number is 0");
  }
  reader.skip(tag & 7, field);
}

/**
 * Checks that the last field ends exactly at the end of the message or packed list.
 *
 * @param reader Positioned after the last field.
 * @throws {RangeError} If the field extends beyond `end`.
 */
export function checkEnd(reader: Reader, end: number): void {
  if (reader.pos !== end) {
    throw new RangeError(
      `Cannot decode message: ends at byte ${end}, its last field at ${reader.pos}`,
    );
  }
}

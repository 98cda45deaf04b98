/** Size-limited reading of external files. */

import { systemReason } from "./system_reason.ts";
import { ConfigError } from "../../errors.ts";
import { misread } from "../text/text_position.ts";

interface BoundedFile {
  readonly path: string;
  readonly limitMib: number;
  /** Expected kind of file, for the hint when it is too large: `a client configuration`. */
  readonly expected: string;
}

/**
 * Reads a file as bytes. Returns `undefined` if it does not exist. Throws `ConfigError` if it is not
 * readable or too large.
 */
export async function readBoundedBytes(
  file: BoundedFile,
): Promise<Uint8Array | undefined> {
  try {
    using open = await Deno.open(file.path);
    return await readUpTo(open, file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    // System errors have a code.
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new ConfigError(
      `Cannot read "${file.path}": ${systemReason(error)}`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Reads a file as text. Returns `undefined` if it does not exist. Throws `ConfigError` if it is not
 * readable, too large, or neither UTF-8 nor UTF-16.
 */
export async function readBoundedText(
  file: BoundedFile,
): Promise<string | undefined> {
  const bytes = await readBoundedBytes(file);
  if (bytes === undefined) return undefined;
  return decodeText(bytes, file.path).text;
}

interface DecodedText {
  readonly text: string;
  readonly isWide: boolean;
}

/** Decodes text: UTF-16 with a byte order mark, else UTF-8. Throws `ConfigError` naming the file if it is neither. */
export function decodeText(bytes: Uint8Array, file: string): DecodedText {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const isWide = isLittle || (first === 0xfe && second === 0xff);
  const encoding = isWide ? isLittle ? "utf-16le" : "utf-16be" : "utf-8";
  try {
    const decoder = new TextDecoder(encoding, { fatal: true });
    return { text: decoder.decode(bytes), isWide };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw misread(file, undefined, "it is not UTF-8", "Save it as UTF-8");
  }
}

// The reported size is no limit: pipes and devices report none.
async function readUpTo(
  open: Deno.FsFile,
  { path, limitMib, expected }: BoundedFile,
): Promise<Uint8Array> {
  let buffer = new Uint8Array(64 * 1024);
  let length = 0;
  for (;;) {
    const count = await open.read(buffer.subarray(length));
    if (count === null) return buffer.subarray(0, length);
    length += count;
    if (length > limitMib * 1024 * 1024) {
      const fault = `it is larger than ${limitMib} MiB`;
      throw misread(path, undefined, fault, `Give ${expected}`);
    }
    if (length === buffer.length) {
      const larger = new Uint8Array(2 * buffer.length);
      larger.set(buffer);
      buffer = larger;
    }
  }
}

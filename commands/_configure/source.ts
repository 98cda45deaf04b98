/** Reads texts named on the command line. */

import { concatBytes } from "../../lib/bytes.ts";
import { decodeText, readBoundedBytes } from "../../lib/files/bounded_file.ts";
import { misread } from "../../lib/text/text_position.ts";
import { ConfigError } from "../../errors.ts";
import type { Context } from "../_kit/mod.ts";

/** Limit for configurations and patches. */
export const limitMib = 16;

/**
 * Reads a machine configuration.
 *
 * @param path File, `-` for standard input.
 * @throws {ConfigError} If it cannot be read or is larger than 16 MiB.
 */
export function readConfiguration(
  path: string,
  context: SourceContext,
): Promise<SourceText> {
  const expected = "a machine configuration";
  return readSource(path, context, { limitMib, expected });
}

interface SourceText {
  readonly text: string;
  /** Name in messages: the path, or `standard input`. */
  readonly name: string;
}

/** Context for reading: standard input, abort signal and notes. */
export type SourceContext =
  & Pick<Context<unknown>, "environment" | "signal">
  & Partial<Pick<Context<unknown>, "note">>;

/** Limits for reading a text. */
interface SourceBounds {
  readonly limitMib: number;
  /** Expected content, for the hint when the text is too large: `manifests`. */
  readonly expected: string;
}

/**
 * Reads a text.
 *
 * @param path File, pipe or device; `-` for standard input.
 * @param context Standard input and its abort signal.
 * @param bounds Limits.
 * @throws {ConfigError} If it cannot be read, is too large, or is not UTF-8.
 */
export async function readSource(
  path: string,
  context: SourceContext,
  bounds: SourceBounds,
): Promise<SourceText> {
  const name = path === "-" ? "standard input" : path;
  const bytes = path === "-"
    ? await readInput(name, context, bounds)
    : await readBoundedBytes({ path, ...bounds });
  if (bytes === undefined) {
    throw new ConfigError(`Cannot read "${path}": no such file`);
  }
  const { text, isWide } = decodeText(bytes, name);
  if (isWide) context.note?.(`${name} is UTF-16; nodes take UTF-8`);
  return { text, name };
}

async function readInput(
  name: string,
  { environment, signal }: SourceContext,
  { limitMib, expected }: SourceBounds,
): Promise<Uint8Array> {
  const reader = environment.stdin.readable.getReader();
  const stop = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      signal.throwIfAborted();
      if (done) return concatBytes(chunks);
      size += value.length;
      if (size > limitMib * 1024 * 1024) {
        const fault = `it is larger than ${limitMib} MiB`;
        throw misread(name, undefined, fault, `Give ${expected}`);
      }
      chunks.push(value);
    }
  } finally {
    signal.removeEventListener("abort", stop);
    reader.releaseLock();
  }
}

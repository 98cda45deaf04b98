/** Splits chunks of bytes into lines of text. */

import { maySaySecrets, withoutSecrets } from "../connect/status_text.ts";

/** Options of {@linkcode byLines}. */
export interface ByLineOptions {
  /**
   * Receives the text after the last line break, which is then not yielded as a line; called at most once,
   * before the iterator finishes or fails, never with empty text.
   */
  readonly unfinished?: (text: string) => void;
}

/**
 * Maximum line length in UTF-16 code units, the log size kept by a node; bounds memory for input without line breaks.
 */
const longestLine = 1024 * 1024;

/**
 * Splits the chunks of a stream into lines, in batches: a generator step costs as much as a line.
 *
 * @param chunks As for {@linkcode lineBlocks}.
 * @param options Handler of an unfinished last line; default it is yielded.
 * @returns Lines completed by each chunk, at least one, without LF; a CR before it is kept.
 * @throws The error of `chunks`, after the last line.
 */
export async function* byLines(
  chunks: AsyncIterable<Uint8Array>,
  options: ByLineOptions = {},
): AsyncGenerator<readonly string[]> {
  for await (const block of lineBlocks(chunks, options)) {
    yield block.split("\n");
  }
}

/**
 * Finds the complete lines in the chunks of a stream.
 *
 * Chunks may end anywhere, even within a character. A line longer than 2^20 characters is split into pieces
 * of that length, independent of the chunks. Values with the name of a secret are redacted: programs on a
 * node may log passwords.
 *
 * @param chunks UTF-8; invalid bytes become U+FFFD.
 * @param options Handler of an unfinished last line; default it is yielded.
 * @returns The lines completed by each chunk as one text, without the last LF.
 * @throws The error of `chunks`, after the last line.
 */
export async function* lineBlocks(
  chunks: AsyncIterable<Uint8Array>,
  { unfinished }: ByLineOptions = {},
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let open = "";
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const chunk of inParts(chunks)) {
      // Decode once per chunk, since decoding each line is slow.
      const text = decoder.decode(chunk, { stream: true });
      const end = text.lastIndexOf("\n");
      const whole: string[] = [];
      if (end < 0) open += text;
      else {
        whole.push(...inPieces(open + text.slice(0, end)));
        open = text.slice(end + 1);
      }
      // Split the unfinished line once it exceeds a piece, so that a later read yields the same pieces.
      while (open.length > longestLine) {
        whole.push(open.slice(0, longestLine));
        open = open.slice(longestLine);
      }
      if (whole.length > 0) yield shown(whole.join("\n"), maySaySecrets(text));
    }
  } catch (error) {
    failure = { error };
  }
  open = withoutSecrets(open + decoder.decode());
  if (open !== "" && unfinished) unfinished(open);
  if (open !== "" && !unfinished) yield open;
  if (failure) throw failure.error;
}

/**
 * Longest text to decode at once, in bytes: longer ones are large objects, which the engine collects late, so that they
 * take 20 MB more.
 */
const longestText = 64 * 1024;

async function* inParts(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += longestText) {
      yield chunk.subarray(at, at + longestText);
    }
  }
}

/** Redacts secrets. The first line may have started in another chunk; most chunks have nothing to redact. */
function shown(lines: string, all: boolean): string {
  if (all) return lines.split("\n").map(withoutSecrets).join("\n");
  const end = lines.indexOf("\n");
  const first = end < 0 ? lines : lines.slice(0, end);
  const redacted = withoutSecrets(first);
  return redacted === first ? lines : redacted + lines.slice(first.length);
}

/** Splits lines that are too long, which is rare: then the texts are lines, otherwise one text of all lines. */
function inPieces(lines: string): readonly string[] {
  if (lines.length <= longestLine) return [lines];
  return lines.split("\n").flatMap((line) =>
    Array.from(
      { length: Math.max(1, Math.ceil(line.length / longestLine)) },
      (_, i) => line.slice(i * longestLine, (i + 1) * longestLine),
    )
  );
}

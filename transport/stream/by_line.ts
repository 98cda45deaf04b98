/** Chunks of bytes joined into lines of text. */

import { maySaySecrets, withoutSecrets } from "../connect/status_text.ts";

/** Options of {@linkcode byLines}. */
export interface ByLineOptions {
  /**
   * Takes the text after the last line end instead of it being the last line;
   * called once at most, before the lines end or fail, and never with empty text.
   */
  readonly unfinished?: (text: string) => void;
}

/** Longest line in UTF-16 code units, as much as a node keeps of a log; what it never ends would fill the memory. */
const longestLine = 1024 * 1024;

/**
 * Joins the chunks of one stream into lines, several at a time: every step between generators costs as much as a line.
 *
 * Chunks may be cut anywhere, within a character too. A line of more than a million (2^20) characters comes in pieces of
 * that length, wherever the chunks were cut. Values of what is named like a secret are withheld: what logs on a node, it
 * may log with a password.
 *
 * @param chunks UTF-8; what is not becomes U+FFFD.
 * @param options Where an unfinished last line goes, default: it is a line as well.
 * @returns The lines that each chunk completed, never none, without their LF; a CR before it is kept.
 * @throws What `chunks` throws, after the last line.
 */
export async function* byLines(
  chunks: AsyncIterable<Uint8Array>,
  { unfinished }: ByLineOptions = {},
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let open = "";
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const chunk of chunks) {
      // One decode per chunk, since one per line takes most of the time.
      const text = decoder.decode(chunk, { stream: true });
      const lines = text.split("\n");
      const rest = lines.pop() ?? ""; // there is one always
      if (lines.length > 0) lines[0] = open + lines[0];
      open = lines.length > 0 ? rest : open + rest;
      // What is open is cut as soon as it is more than a piece: whoever reads on finds the same pieces.
      const whole = inPieces(lines);
      while (open.length > longestLine) {
        whole.push(open.slice(0, longestLine));
        open = open.slice(longestLine);
      }
      if (whole.length > 0) yield shownLines(whole, maySaySecrets(text));
    }
  } catch (error) {
    failure = { error };
  }
  open = withoutSecrets(open + decoder.decode());
  if (open !== "" && unfinished) unfinished(open);
  if (open !== "" && !unfinished) yield [open];
  if (failure) throw failure.error;
}

/** The first may have begun in another chunk; of the others most chunks have nothing to withhold. */
function shownLines(
  lines: readonly string[],
  all: boolean,
): readonly string[] {
  if (all) return lines.map(withoutSecrets);
  const [first = "", ...others] = lines;
  const shown = withoutSecrets(first);
  return shown === first ? lines : [shown, ...others];
}

/** Cuts lines that are too long; nearly always there is none. */
function inPieces(lines: string[]): string[] {
  if (lines.every(({ length }) => length <= longestLine)) return lines;
  return lines.flatMap((line) =>
    Array.from(
      { length: Math.max(1, Math.ceil(line.length / longestLine)) },
      (_, i) => line.slice(i * longestLine, (i + 1) * longestLine),
    )
  );
}

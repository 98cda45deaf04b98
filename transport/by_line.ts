/** Chunks of bytes joined into lines of text. */

/** What {@linkcode byLine} may be told. */
export interface ByLineOptions {
  /**
   * Takes the text after the last line end instead of it being the last line;
   * called once at most, before the lines end or fail, and never with empty text.
   */
  readonly unfinished?: (text: string) => void;
}

/**
 * Joins the chunks of one stream into lines.
 *
 * Chunks may be cut anywhere, within a character too. A line may have any length.
 *
 * @param chunks UTF-8; what is not becomes U+FFFD.
 * @param options Where an unfinished last line goes, default: it is a line as well.
 * @returns Lines without their LF; a CR before it is kept.
 * @throws What `chunks` throws, after the last line.
 */
export async function* byLine(
  chunks: AsyncIterable<Uint8Array>,
  { unfinished }: ByLineOptions = {},
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let open = "";
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const chunk of chunks) {
      // One decode per chunk, since one per line takes most of the time.
      const text = decoder.decode(chunk, { stream: true });
      let start = 0;
      let end = text.indexOf("\n");
      for (; end >= 0; end = text.indexOf("\n", start)) {
        yield open + text.slice(start, end);
        open = "";
        start = end + 1;
      }
      open += text.slice(start);
    }
  } catch (error) {
    failure = { error };
  }
  open += decoder.decode();
  if (open !== "" && unfinished) unfinished(open);
  if (open !== "" && !unfinished) yield open;
  if (failure) throw failure.error;
}

/** Texts of nodes without their secrets, however they are cut into chunks. */

import { type Masker, processMasker } from "../../config/masker.ts";
import { withoutSecrets } from "../../transport/connect/status_text.ts";

/** Longest text without a line end that is waited for, in characters. */
const longestLine = 1024 ** 2;

/**
 * Hides secrets in a text, and values of what is named like one.
 *
 * @param content UTF-8 in chunks of any size.
 * @param mask What hides them; default that of the process.
 */
export async function* maskedText(
  content: AsyncIterable<Uint8Array>,
  mask: Masker["mask"] = processMasker.mask,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  let failure: { readonly cause: unknown } | undefined;
  const chunks = inPieces(content);
  for (;;) {
    const next = await chunks.next().catch((cause) => {
      failure = { cause };
    });
    if (next === undefined || next.done) break;
    rest += decoder.decode(next.value, { stream: true });
    // A secret may go on in the next chunk, but not behind a line end.
    const end = rest.lastIndexOf("\n") + 1;
    if (end === 0 && rest.length < longestLine) continue;
    const text = end === 0 ? rest : rest.slice(0, end);
    rest = rest.slice(text.length);
    yield encoder.encode(mask(withoutSecrets(text)));
  }
  // What came before a failure is kept as well.
  const last = rest + decoder.decode();
  if (last !== "") yield encoder.encode(mask(withoutSecrets(last)));
  if (failure !== undefined) throw failure.cause;
}

/** Longest piece that is masked at once, in bytes: short texts are freed sooner. */
const pieceBytes = 32 * 1024;

async function* inPieces(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      yield chunk.subarray(at, at + pieceBytes);
    }
  }
}

/** Summary in an archive: the problems when it was created. */

import { ConfigError } from "../../errors.ts";
import { systemReason } from "../../lib/files/system_reason.ts";
import { type SummaryRow, summaryTopics } from "./support_summary.ts";

/** Path of the summary in an archive. */
export const summaryPath = "summary.json";

/**
 * Reads the summary of an archive created by `support`.
 *
 * @throws {ConfigError} If it is not such an archive.
 */
export async function readSummary(
  path: string,
): Promise<readonly SummaryRow[]> {
  using file = await Deno.open(path).catch((cause) => {
    throw new ConfigError(`Cannot read "${path}": ${systemReason(cause)}`, {
      cause,
    });
  });
  return parseRows(await readContent(file, path), path);
}

/** Maximum read from an archive at once, in bytes; file lists and summaries are smaller. */
const largest = 64 * 1024 ** 2;

/** Signatures and sizes of ZIP records (PKWARE APPNOTE 4.3). */
const end = { signature: 0x06054b50, size: 22, longestComment: 65_535 };
const listed = { signature: 0x02014b50, size: 46 };
const local = { signature: 0x04034b50, size: 30 };

/** Finds the summary in the central directory, and unpacks it. */
async function readContent(file: Deno.FsFile, path: string): Promise<string> {
  const { size } = await file.stat();
  const tail = await readPart(
    file,
    Math.max(0, size - end.size - end.longestComment),
    size,
  );
  let at = tail.byteLength - end.size;
  while (at >= 0 && tail.getUint32(at, true) !== end.signature) at--;
  if (at < 0) {
    throw new ConfigError(`"${path}" is not a complete ZIP archive`, {
      hint: "It was not written by osctl support, or the copy is truncated",
    });
  }
  const from = tail.getUint32(at + 16, true);
  const list = await readPart(file, from, from + tail.getUint32(at + 12, true));
  for (let at = 0; at + listed.size <= list.byteLength;) {
    if (list.getUint32(at, true) !== listed.signature) break;
    const [nameSize = 0, extraSize = 0, commentSize = 0] = [28, 30, 32]
      .map((field) => list.getUint16(at + field, true));
    const name = new Uint8Array(
      list.buffer,
      list.byteOffset + at + listed.size,
      Math.min(nameSize, list.byteLength - at - listed.size),
    );
    if (new TextDecoder().decode(name) === summaryPath) {
      return await unpackPart(file, {
        from: list.getUint32(at + 42, true),
        size: list.getUint32(at + 20, true),
      });
    }
    at += listed.size + nameSize + extraSize + commentSize;
  }
  throw new ConfigError(`"${path}" has no ${summaryPath}`, {
    hint:
      "It is from an earlier version, or its collection was interrupted; read its manifest.json",
  });
}

async function unpackPart(
  file: Deno.FsFile,
  { from, size }: { readonly from: number; readonly size: number },
): Promise<string> {
  const head = await readPart(file, from, from + local.size);
  const start = from + local.size + head.getUint16(26, true) +
    head.getUint16(28, true);
  const { buffer } = await readPart(file, start, start + size);
  const inflated = new Blob([buffer]).stream()
    .pipeThrough(new DecompressionStream("deflate-raw"));
  let text = "";
  try {
    for await (const part of inflated.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.length > largest) break;
    }
  } catch {
    // It is damaged, as the rows then are.
  }
  return text;
}

/** Reads bytes of a file; fewer at its end. Throws `ConfigError` if they are too many. */
async function readPart(
  file: Deno.FsFile,
  from: number,
  to: number,
): Promise<DataView<ArrayBuffer>> {
  if (to - from > largest) {
    throw new ConfigError("The archive is damaged: a part of it is too large");
  }
  await file.seek(from, Deno.SeekMode.Start);
  const bytes = new Uint8Array(to - from);
  let filled = 0;
  while (filled < bytes.length) {
    const read = await file.read(bytes.subarray(filled));
    if (read === null) break;
    filled += read;
  }
  return new DataView(bytes.buffer, 0, bytes.length);
}

function parseRows(text: string, path: string): readonly SummaryRow[] {
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch {
    rows = undefined;
  }
  if (Array.isArray(rows) && rows.every(isRow)) return rows;
  throw new ConfigError(`${summaryPath} in "${path}" is damaged`);
}

const topics: ReadonlySet<unknown> = new Set(summaryTopics);

function isRow(value: unknown): value is SummaryRow {
  const { topic, source, state, problem } = Object(value);
  return topics.has(topic) && typeof source === "string" &&
    (state === "problem" || state === "unknown") && typeof problem === "string";
}

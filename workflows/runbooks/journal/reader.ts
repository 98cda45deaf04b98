import { concatBytes } from "../../../lib/bytes.ts";
import { ConfigError } from "../../../errors.ts";
import { decodeRecord, type JournalRecord } from "./record.ts";
import { emptyEnd, type JournalEnd } from "./writer.ts";

const newline = 0x0a;

/** Result of reading a journal. */
export interface JournalRead {
  readonly end: JournalEnd;
  /** Checksums of its lines, in order. */
  readonly checksums: readonly string[];
  /** Length of the intact part, in bytes. */
  readonly bytes: number;
  /** True when a truncated last line has to be removed. */
  readonly torn: boolean;
}

/**
 * Reads a journal record by record.
 *
 * @param take Called with each record, in order.
 * @throws {ConfigError} If it is damaged; a truncated last line is not damage.
 */
export async function readJournal(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  name: string,
  take: (record: JournalRecord) => void,
): Promise<JournalRead> {
  let end: JournalEnd = emptyEnd;
  const checksums: string[] = [];
  let bytes = 0;
  let rest = new Uint8Array();

  function readText(text: Uint8Array): void {
    const decoded = decodeRecord(text);
    if (decoded === undefined) throw damagedError("its checksum is wrong");
    const { record, checksum } = decoded;
    const { seq, previous } = record;
    if (seq !== end.seq + 1) {
      throw damagedError(`expected record ${end.seq + 1}, found record ${seq}`);
    }
    if (previous !== end.checksum) {
      throw damagedError("it does not follow the previous line");
    }
    end = { seq, checksum };
    checksums.push(checksum);
    bytes += text.length + 1;
    take(record);
  }

  function damagedError(reason: string): ConfigError {
    const line = end.seq + 1;
    return new ConfigError(
      `Cannot read journal "${name}": line ${line} is damaged (${reason})`,
      {
        hint:
          "Check the nodes by hand; the file lists what the run did up to that line",
      },
    );
  }

  for await (const chunk of chunks) {
    const all = concatBytes([rest, chunk]);
    let from = 0;
    for (
      let to = all.indexOf(newline);
      to >= 0;
      to = all.indexOf(newline, from)
    ) {
      readText(all.subarray(from, to));
      from = to + 1;
    }
    rest = all.subarray(from);
  }
  // A writer that is interrupted in the middle of a line leaves no newline.
  if (decodeRecord(rest.subarray(0, -1)) !== undefined) {
    throw damagedError("it does not end with a newline");
  }
  return { end, checksums, bytes, torn: rest.length > 0 };
}

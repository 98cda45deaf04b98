/** Reading the journal of a run. */

import { ConfigError } from "../../../errors.ts";
import { decodeRecord, type JournalRecord } from "./record.ts";
import { emptyEnd, type JournalEnd } from "./writer.ts";

/** What became of reading a journal. */
export interface JournalRead {
  /** Where it goes on. */
  readonly end: JournalEnd;
  /** Length of what is whole, in bytes. */
  readonly bytes: number;
  /** True when a last line that was cut off is to be removed. */
  readonly torn: boolean;
}

/**
 * Reads a journal record by record.
 *
 * @param chunks The file.
 * @param name Name for messages.
 * @param take Called with each record, in order.
 * @throws {ConfigError} If it is damaged anywhere but in a last line that was cut off.
 */
export async function readJournal(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  name: string,
  take: (record: JournalRecord) => void,
): Promise<JournalRead> {
  const decoder = new TextDecoder();
  let end: JournalEnd = emptyEnd;
  let bytes = 0;
  let line = 1;
  let rest = "";
  // A damaged line is only known to be the last one when nothing follows it.
  let doubtful: string | undefined;

  function read(text: string): void {
    if (doubtful !== undefined) throw damaged(name, line - 1, doubtful);
    const decoded = decodeRecord(text);
    line++;
    if (decoded === undefined) {
      doubtful = "its checksum is wrong";
      return;
    }
    const { record, checksum } = decoded;
    if (record.seq !== end.seq + 1 || record.h !== end.checksum) {
      const reason = `record ${
        end.seq + 1
      } was expected, and it is ${record.seq}`;
      throw damaged(name, line - 1, reason);
    }
    end = { seq: record.seq, checksum };
    bytes += byteLength(text) + 1;
    take(record);
  }

  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) read(text);
  }
  // A line whose end was written was synced as a whole or not at all, but a disk may lie about the order.
  if (doubtful !== undefined && rest !== "") {
    throw damaged(name, line - 1, doubtful);
  }
  const torn = rest !== "" || doubtful !== undefined;
  return { end, bytes, torn };
}

function byteLength(text: string): number {
  // Records are ASCII as a rule: encoding all of a long journal again would double the time.
  // deno-lint-ignore no-control-regex
  return /^[\x00-\x7f]*$/.test(text)
    ? text.length
    : new TextEncoder().encode(text).length;
}

function damaged(name: string, line: number, reason: string): ConfigError {
  return new ConfigError(
    `Cannot read journal "${name}": line ${line} is damaged (${reason})`,
    {
      hint:
        "Look at the nodes by hand; what the run did up to that line stands in the file",
    },
  );
}

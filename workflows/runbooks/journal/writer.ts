/** Writing the journal of a run: in order, and on the disk before anything is sent. */

import { systemReason } from "../../../lib/files/system_reason.ts";
import { OsctlError } from "../../../errors.ts";
import {
  encodeRecord,
  type JournalRecord,
  type NewRecord,
  noChecksum,
  type RecordType,
} from "./record.ts";

/** Where the lines go. */
export interface JournalStore {
  readonly write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  /** Resolves when all that was written survives a crash. */
  readonly sync: () => Promise<void>;
}

/** A journal that is written. */
export interface RunJournal {
  /**
   * Writes a record; resolves when it survives a crash, where that matters for its kind.
   *
   * @throws {OsctlError} If it cannot be written; nothing is written after that.
   */
  readonly append: (record: NewRecord) => Promise<JournalRecord>;
}

/** A journal in a file, and how far it has come. */
export interface KeptJournal extends RunJournal {
  /** Its end as it survives a crash. */
  readonly end: () => JournalEnd;
  /** Whether it had come so far, by the same records, when it was opened. */
  readonly includes: (end: JournalEnd) => boolean;
}

/** Where a journal continues. */
export interface JournalEnd {
  /** Number of the last record, 0 when there is none. */
  readonly seq: number;
  readonly checksum: string;
}

/** The end of a journal without records. */
export const emptyEnd: JournalEnd = { seq: 0, checksum: noChecksum };

// What is lost of these is found out again by looking.
const lazy: ReadonlySet<RecordType> = new Set(["gate", "ack", "when"]);

interface Queued {
  readonly line: string;
  readonly end: JournalEnd;
  readonly sync: boolean;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Writes a journal; records of several nodes that come at the same time share one sync.
 *
 * @param checksums Those of the lines before, in order; default none is known.
 */
export function writeJournal(
  store: JournalStore,
  end: JournalEnd,
  now: () => Date,
  checksums: readonly string[] = [],
): KeptJournal {
  let { seq, checksum } = end;
  let safe = end;
  let queue: Queued[] = [];
  let running = false;
  let broken: OsctlError | undefined;
  const encoder = new TextEncoder();

  async function drain(): Promise<void> {
    running = true;
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      try {
        const lines = batch.map(({ line }) => `${line}\n`).join("");
        // One after the other: what comes meanwhile is the next batch.
        await store.write(encoder.encode(lines));
        if (batch.some(({ sync }) => sync)) {
          await store.sync();
          safe = batch.at(-1)?.end ?? safe;
        }
        for (const { resolve } of batch) resolve();
      } catch (error) {
        const why = systemReason(error);
        broken = new OsctlError(`Cannot write the journal of the run: ${why}`, {
          hint: "Free disk space, then resume; nothing more was sent",
          cause: error,
        });
        for (const { reject } of [...batch, ...queue]) reject(broken);
        queue = [];
      }
    }
    running = false;
  }

  async function append(record: NewRecord): Promise<JournalRecord> {
    if (broken !== undefined) throw broken;
    const whole: JournalRecord = {
      seq: seq + 1,
      ts: now().toISOString(),
      ...record,
      previous: checksum,
    };
    const encoded = encodeRecord(whole);
    // A record that cannot be encoded leaves no gap.
    seq++;
    checksum = encoded.checksum;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    queue.push({
      line: encoded.line,
      end: { seq, checksum },
      sync: !lazy.has(record.type),
      resolve,
      reject,
    });
    if (!running) drain();
    await promise;
    return whole;
  }

  return {
    append,
    end: () => safe,
    includes: (one) => checksums[one.seq - 1] === one.checksum,
  };
}

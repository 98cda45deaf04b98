/** Writer of the journal of a run: in order, and on disk before anything is sent. */

import { systemReason } from "../../../lib/files/system_reason.ts";
import { OsctlError } from "../../../errors.ts";
import {
  encodeRecord,
  type JournalRecord,
  type NewRecord,
  noChecksum,
  type RecordType,
} from "./record.ts";

/** Destination of the lines. */
export interface JournalStore {
  readonly write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  /** Resolves when everything written survives a crash. */
  readonly sync: () => Promise<void>;
}

/** A journal that can be written. */
export interface RunJournal {
  /**
   * Writes a record; resolves when it survives a crash, if its kind needs that.
   *
   * @throws {OsctlError} If it cannot be written; nothing is written after that.
   */
  readonly append: (record: NewRecord) => Promise<JournalRecord>;
}

/** A journal in a file, with its position. */
export interface KeptJournal extends RunJournal {
  /** Position that survives a crash. */
  readonly end: () => JournalEnd;
  /** Reports whether the file already held this position, with the same records, when it was opened. */
  readonly includes: (end: JournalEnd) => boolean;
}

/** Position at which a journal continues. */
export interface JournalEnd {
  /** Number of the last record; 0 when there is none. */
  readonly seq: number;
  readonly checksum: string;
}

/** Position in a journal without records. */
export const emptyEnd: JournalEnd = { seq: 0, checksum: noChecksum };

// These can be lost: they are read from the cluster again.
const lazy: ReadonlySet<RecordType> = new Set(["gate", "ack", "when"]);

interface Queued {
  readonly line: string;
  readonly end: JournalEnd;
  readonly sync: boolean;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Writes a journal; concurrent records of several nodes share one sync.
 *
 * @param checksums Checksums of the previous lines, in order; default none.
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
        // Sequential: records that arrive meanwhile form the next batch.
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

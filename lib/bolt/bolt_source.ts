import { OsctlError } from "../../errors.ts";

/** Bytes of a database, with the texts of its errors. */
export interface BoltSource {
  /** In bytes. */
  readonly size: number;
  /** Subject of messages: `Snapshot "a.db"`. */
  readonly subject: string;
  /** Next step, one sentence without a period. */
  readonly hint: string;
  /** Reads a range within the size. */
  readonly read: (at: number, length: number) => DataView<ArrayBuffer>;
}

/**
 * Creates the error for a damaged database.
 *
 * @param what The problem, with the page: `page 17: element 3: its key has 0 bytes`.
 */
export function damagedError(
  { subject, hint }: Pick<BoltSource, "subject" | "hint">,
  what: string,
): OsctlError {
  return new OsctlError(`${subject} is damaged: ${what}`, { hint });
}

/** How damage of a snapshot is told. */

import { OsctlError } from "../../../errors.ts";

/** What is read, and what to do when it is damaged. */
export interface Source {
  /** Path it is read from. */
  readonly path: string;
  /** What it is called at the start of a message: `Snapshot "a.db"`. */
  readonly subject: string;
  /** Next step, one sentence without a period. */
  readonly hint: string;
}

/**
 * Makes the error for a damaged file.
 *
 * @param source The file.
 * @param what What is wrong, with the page: `page 17: element 3 reaches beyond the page`.
 */
export function damaged({ subject, hint }: Source, what: string): OsctlError {
  return new OsctlError(`${subject} is damaged: ${what}`, { hint });
}

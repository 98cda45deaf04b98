/** What is wrong with an expression, and where. */

/** A mistake in an expression. */
export interface Fault {
  /** Where it begins in the source, in characters from 0. */
  readonly offset: number;
  /** What is wrong; capital first, no period. */
  readonly message: string;
  /** What would be right. */
  readonly hint?: string;
}

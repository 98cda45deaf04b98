/** Errors about a place in a text. */

import { ConfigError } from "../../errors.ts";

/** Where something is in a text. */
export interface Position {
  readonly line: number;
  /** Counted from 1, in UTF-16 code units. */
  readonly column: number;
}

/** A text that cannot be understood. */
export class MisreadError extends ConfigError {
  /** Where the fault is; `undefined` when it is the file as a whole. */
  readonly at: Position | undefined;
  /** What is there and why it cannot stand; no period. */
  readonly fault: string;

  /** Makes the error; `fault` says what is wrong, without a period. */
  constructor(
    file: string,
    at: Position | undefined,
    fault: string,
    hint: string | undefined,
  ) {
    const place = at === undefined
      ? ""
      : ` at line ${at.line}, column ${at.column}`;
    super(
      `Cannot read "${file}"${place}: ${fault}`,
      hint === undefined ? {} : { hint },
    );
    this.at = at;
    this.fault = fault;
  }
}

/**
 * Makes the error for a text that cannot be understood.
 *
 * @param at Where the fault is; `undefined` when it is the file as a whole.
 * @param fault What is there and why it cannot stand; no period.
 */
export function misread(
  file: string,
  at: Position | undefined,
  fault: string,
  hint?: string,
): MisreadError {
  return new MisreadError(file, at, fault, hint);
}

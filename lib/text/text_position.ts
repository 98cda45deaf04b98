/** Parse errors with a position in a text. */

import { ConfigError } from "../../errors.ts";

/** Position in a text. */
export interface Position {
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
}

/** A text that cannot be parsed. */
export class MisreadError extends ConfigError {
  readonly file: string;
  /** Position of the error; `undefined` for the whole file. */
  readonly at: Position | undefined;
  /** Invalid text and the reason; no period. */
  readonly fault: string;

  /** Creates the error; `fault` states the problem without a period. */
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
    this.file = file;
    this.at = at;
    this.fault = fault;
  }
}

/**
 * Creates the error for a text that cannot be parsed.
 *
 * @param at Position of the error; `undefined` for the whole file.
 * @param fault Invalid text and the reason; no period.
 */
export function misread(
  file: string,
  at: Position | undefined,
  fault: string,
  hint?: string,
): MisreadError {
  return new MisreadError(file, at, fault, hint);
}

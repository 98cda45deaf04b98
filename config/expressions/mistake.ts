/** What is wrong with an expression, on its way out of reader and checker. */

/** A mistake in an expression; leaves this folder as a value, never as an error. */
export class ExpressionMistake extends Error {
  /** Class name, for stacks. */
  override readonly name: string = "ExpressionMistake";
  /** Where it stands, in UTF-16 units from the start of the expression. */
  readonly offset: number;
  /** What would be right, one sentence without a period. */
  readonly hint: string | undefined;

  /**
   * Makes the mistake.
   *
   * @param message Upper case first, no period; quotes what is wrong.
   * @param offset UTF-16 units from the start of the expression.
   */
  constructor(message: string, offset: number, hint?: string) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}

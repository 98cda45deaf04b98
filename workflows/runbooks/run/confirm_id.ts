/** Confirmation of irreversible actions by typing the id of a run. */

import { RefusedError } from "../../../errors.ts";
import type { RunSession } from "./run_session.ts";
import { prompter } from "../../../terminal/prompt.ts";

/**
 * Requires that the id of a run is typed: with --typed, or now.
 *
 * @param what Action to confirm: `abort it`.
 * @throws {RefusedError} If another text was typed, or none.
 */
export async function requireTyped(
  id: string,
  what: string,
  typed: string | undefined,
  { environment, signal }: Pick<RunSession, "environment" | "signal">,
): Promise<void> {
  const word = typed ?? await askId();
  if (word === id) return;
  throw new RefusedError(`"${word}" is not the id of the run`, {
    hint: `Type exactly: ${id}`,
  });

  async function askId(): Promise<string> {
    using prompts = prompter({ environment, signal });
    const answer = await prompts.ask(`Type "${id}" to ${what}: `);
    if (answer !== undefined) return answer;
    throw new RefusedError(`The id was not typed for run "${id}"`, {
      hint: `Without a terminal, add: --typed ${id}`,
    });
  }
}

/** Commands that show nothing when all went well. */

import type { Command, Context } from "./command.ts";
import { lines } from "../../terminal/view.ts";

/** What of a command its work decides. */
export type Silent<Values> = Pick<
  Command<never, Values>,
  "output" | "view" | "run"
>;

/** Makes the part of a command that does the work, for work without rows. */
export function silently<Values>(
  work: (context: Context<Values>) => Promise<void>,
): Silent<Values> {
  return {
    output: "own",
    view: lines(() => ""),
    async *run(context) {
      await work(context);
      yield* [];
    },
  };
}

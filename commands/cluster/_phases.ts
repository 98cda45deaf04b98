/** What commands say while they work on a local cluster. */

import type { Progress } from "../../provisioners/mod.ts";
import { working } from "../../transport/call/open_calls.ts";
import type { AnyCommand, Context } from "../_kit/mod.ts";

/** Reports each phase with its time when it is done, and each node. */
export function reportPhases(
  { note, environment: { now } }: Pick<
    Context<AnyCommand["inputs"]>,
    "note" | "environment"
  >,
): Progress {
  return {
    async phase(name, work) {
      const start = now().getTime();
      const result = await working(name, work);
      const seconds = (now().getTime() - start) / 1000;
      note(`${name}: ${seconds.toFixed(1)} s`);
      return result;
    },
    node: (name, what) => note(`${name}: ${what}`),
  };
}

/** Says what is being done only while it takes long. */
export const quietPhases: Progress = {
  phase: working,
  node() {},
};

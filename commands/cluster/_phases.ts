/** Progress output of commands for local clusters. */

import type { Progress } from "../../provisioners/mod.ts";
import { working } from "../../transport/call/open_calls.ts";
import type { AnyCommand, Context } from "../_kit/mod.ts";

/** Reports each finished phase with its duration, and each node. */
export function reportPhases(
  { note, environment: { now } }: Pick<
    Context<AnyCommand["inputs"]>,
    "note" | "environment"
  >,
): Progress {
  return {
    async phase(name, work) {
      const start = now().getTime();
      const result = await inPhase(name, work);
      const seconds = (now().getTime() - start) / 1000;
      note(`${name}: ${seconds.toFixed(1)} s`);
      return result;
    },
    node: (name, what) => note(`${name}: ${what}`),
    warn: (text) => note(`warning: ${text}`),
  };
}

/** Reports a phase only while it takes long. */
export const quietPhases: Progress = {
  phase: inPhase,
  node() {},
  warn() {},
};

function inPhase<T>(
  name: string,
  work: (say: (text: string) => void) => Promise<T>,
): Promise<T> {
  let text = name;
  const say = (more: string) => void (text = `${name}: ${more}`);
  return working(() => text, () => work(say));
}

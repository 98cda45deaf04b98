/** When waits of a step end, because somebody asked the run to stop. */

import type { Engine } from "./engine.ts";
import { Halt } from "./failure.ts";
import type { Frame } from "./frame.ts";

/** What ends a wait of a step. */
export function ending(
  { stop }: Pick<Engine, "stop">,
  { finishing, position }: Pick<Frame, "finishing" | "position">,
): AbortSignal {
  return finishing || position.carrying ? stop.hard : stop.soft;
}

/** Whether a step is to end its waits. */
export function isEnding(
  engine: Pick<Engine, "stop">,
  frame: Pick<Frame, "finishing" | "position">,
): boolean {
  return ending(engine, frame).aborted;
}

/**
 * The end of a walk that is to stop.
 *
 * @param where For people: `before a/b`.
 */
export function stopped(
  { stop }: Pick<Engine, "stop">,
  where: string,
): Halt {
  return stop.hard.aborted
    ? new Halt("interrupted", `interrupted ${where}`)
    : new Halt("stop", `stopped ${where}`);
}

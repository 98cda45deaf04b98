/** Flags for long durations: `30d`, `12h`. */

import { parseDuration } from "../../../lib/duration.ts";
import { type Flag, InputProblem } from "../../_kit/inputs.ts";
import { duration } from "../../_kit/mod.ts";

const dayMs = 24 * 3_600_000;

/**
 * A duration flag that also accepts days. `initial`: default, in milliseconds;
 * 0 is not shown.
 */
export function span(summary: string, initial = 0): Flag<number> {
  return {
    ...duration(summary, { initial: "0s" }),
    initial,
    shown: initial === 0 ? "" : `${initial / dayMs}d`,
    parse: milliseconds,
  };
}

function milliseconds(value: string): number {
  const [, days = "0", rest = ""] = /^(?:(\d+)d)?(.*)$/.exec(value) ?? [];
  const ms = rest === "" ? 0 : parseDuration(rest);
  if (value !== "" && ms !== undefined && ms >= 0) {
    return Number(days) * dayMs + ms;
  }
  throw new InputProblem("must be a duration such as 30d, 12h or 1d6h");
}

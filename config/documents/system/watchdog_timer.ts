/** The watchdog, which restarts a machine that hangs. */

import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { nanosecondsOf } from "../scalars/duration.ts";
import { duration, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field } from "../shapes.ts";

/** Ten seconds, in nanoseconds. */
const shortest = 10_000_000_000n;

/** `WatchdogTimerConfig`. */
export const watchdogTimer: DocumentKind = {
  kind: "WatchdogTimerConfig",
  summary: "Watchdog timer that reboots the node if it hangs",
  named: false,
  fields: {
    device: field(openText, "Path of the watchdog device", {
      always: true,
      required: true,
      example: "/dev/watchdog0",
    }),
    timeout: field(
      duration,
      "Time after which the watchdog reboots a hung node",
      { initial: "1m0s", example: "3m0s" },
    ),
  },
  examples: [{ value: { device: "/dev/watchdog0", timeout: "3m0s" } }],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  const timeout = document.get("timeout");
  const time = nanosecondsOf(timeout.text() ?? "") ?? 0n;
  if (time !== 0n && time < shortest) {
    yield timeout.error(
      `Timeout "${timeout.text()}" is too short`,
      "Give at least 10s",
    );
  }
}

/** The watchdog, which restarts a machine that hangs. */

import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { parseNanoseconds } from "../scalars/duration.ts";
import { documentKind } from "../table.ts";

/** Ten seconds, in nanoseconds. */
const shortest = 10_000_000_000n;

export const watchdogTimer = documentKind(rules)`
WatchdogTimerConfig |  | Watchdog timer that reboots the node if it hangs
  = {"device": "/dev/watchdog0", "timeout": "3m0s"}
  device  | text, always, required | Path of the watchdog device | "/dev/watchdog0"
  timeout | duration, default 1m0s | Time after which the watchdog reboots a hung node | "3m0s"
`;

function* rules(document: Cursor): Iterable<Problem> {
  const timeout = document.get("timeout");
  const time = parseNanoseconds(timeout.text() ?? "") ?? 0n;
  if (time !== 0n && time < shortest) {
    yield timeout.error(
      `Timeout "${timeout.text()}" is too short`,
      "Give at least 10s",
    );
  }
}

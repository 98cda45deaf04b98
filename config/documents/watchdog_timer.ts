/** The watchdog, which restarts a machine that hangs. */

import type { Cursor } from "./cursor.ts";
import type { Problem } from "./problem.ts";
import { millisecondsOf } from "./quantities.ts";
import { duration, string } from "./scalars.ts";
import type { DocumentKind } from "./schema.ts";

/** `WatchdogTimerConfig`. */
export const watchdogTimer: DocumentKind = {
  kind: "WatchdogTimerConfig",
  summary: "Watchdog device that restarts the machine when it hangs",
  named: false,
  fields: {
    device: {
      shape: string,
      always: true,
      required: true,
      summary: "Path of the device",
      examples: [{ value: "/dev/watchdog0" }],
    },
    timeout: {
      shape: duration,
      summary: "Time without a sign of life after which it acts",
      initial: "1m0s",
      examples: [{ value: "3m0s" }],
    },
  },
  examples: [{ value: { device: "/dev/watchdog0", timeout: "3m0s" } }],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  const timeout = document.get("timeout");
  const time = millisecondsOf(timeout.text() ?? "");
  if (time !== 0 && time < 10_000) {
    yield timeout.error(
      `Time "${timeout.text()}" is too short`,
      "Give at least 10s",
    );
  }
}

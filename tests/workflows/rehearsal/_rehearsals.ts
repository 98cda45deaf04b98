/** Rehearsals that tests report on. */

import type {
  RehearsalReport,
  RehearsedRun,
} from "../../../workflows/rehearsal/rehearsal_report.ts";
import {
  invariantIds,
  type InvariantResult,
} from "../../../workflows/rehearsal/invariants/invariant.ts";
import { full } from "../runbooks/report/_reports.ts";
import { goldenStream } from "../runbooks/report/_streams.ts";

const events = await goldenStream("partial");

const held: readonly InvariantResult[] = invariantIds.map((id) => ({
  id,
  state: id === "I7" || id === "I8" ? "unchecked" : "held",
  evidence: [],
}));

/** A run in which nothing was injected. */
export const clean: RehearsedRun = {
  name: "clean",
  faults: [],
  events,
  report: full,
  invariants: held,
  problems: [],
  virtualMs: 653_000,
};

/** A run that was killed, went on, and left a node without an image. */
export const killed: RehearsedRun = {
  ...clean,
  name: "kill @ record 57",
  faults: [
    {
      fault: "runner: kill @ record 57",
      at: "2026-11-20T19:33:20.000Z",
      record: 57,
      path: "workers/node/body/drain",
    },
    {
      fault: "node/w-3: slow 5s for 1m",
      at: "2026-11-20T19:38:30.000Z",
      until: "2026-11-20T19:39:30.000Z",
      node: "w-3",
    },
    { fault: "etcd/cp-9: learner @ final" },
  ],
  events: events.flatMap((event) =>
    event.ts === "2026-11-20T19:33:00.000Z"
      ? [event, {
        v: 1 as const,
        seq: 1,
        ts: "2026-11-20T19:34:00.000Z",
        run: event.run,
        type: "run.resumed" as const,
        data: { runbook: "rolling-upgrade" },
      }]
      : [event]
  ),
  invariants: held.map((one) =>
    one.id === "I4"
      ? {
        ...one,
        state: "violated",
        evidence: ["w-3: slots A and B hold <v1.14.1> that never booted"],
      }
      : one
  ),
  problems: ["status 3 instead of 0"],
  again:
    "osctl runbook rehearse rolling-upgrade --seed 7 --fault 'runner: kill @ record 57'",
};

/** A rehearsal of two runs, one of them bad. */
export const rehearsal: RehearsalReport = {
  v: 1,
  runbook: "rolling-upgrade",
  cluster: "sim:1cp+4w,v1.13.4",
  seed: 7,
  madeAt: "2026-11-20T12:00:00Z",
  tookMs: 2_300,
  runs: [clean, killed],
};

import { ConfigError, exitStatus, OutcomeError } from "../../errors.ts";
import { readStat } from "../../lib/files/atomic_file.ts";
import type { OpenQuestion } from "../../workflows/runbooks/journal/history.ts";
import { spanText } from "../../workflows/runbooks/report/span.ts";
import {
  type FleetCluster,
  fleetRuns,
  statusOfRun,
  worstStatus,
} from "../../workflows/runbooks/fleet/fleet_runs.ts";
import { type Command, headedTable, text, type Values } from "../_kit/mod.ts";
import { requiredText } from "../_kit/inputs.ts";
import {
  type HistoryRow,
  historyRow,
} from "../../workflows/runbooks/report/history_row.ts";

/** The newest run of a cluster, from its directory. */
interface FleetRow extends
  Pick<
    HistoryRow,
    "cluster" | "done" | "failed" | "startedAt" | "endedAt" | "tookMs"
  > {
  /** Directory of the cluster; empty if the runs are in the given directory itself. */
  readonly folder: string;
  readonly run: string;
  readonly runbook: string;
  /** State; `damaged` if its journal is unreadable. */
  readonly state: HistoryRow["state"];
  /** Exit status; 75 for an unfinished run. */
  readonly status: number;
}

const inputs = {
  stateDir: requiredText("directory with a subdirectory for each cluster", {
    complete: "files",
  }),
  runKey: text("only runs whose key starts with this", { initial: "" }),
};

export const command = {
  summary: "Report on the runs of a fleet",
  description:
    `The directory has one subdirectory for each cluster, the --state-dir of its run-or-resume. Reports the newest run
of each cluster. The status is the worst of their statuses, in this order: 0, 3, 75, 76, 8, 7, 2, 4, 1, 5. It is 2 when
there is no run.`,
  inputs,
  examples: [
    "runbook fleet-report --state-dir /state",
    "runbook fleet-report --state-dir /state --run-key june- -o json",
  ],
  view: headedTable<FleetRow>({
    CLUSTER: ({ cluster, folder }) => folder === "" ? cluster : folder,
    RUNBOOK: ({ runbook }) => runbook,
    RUN: ({ run }) => run,
    STATE: ({ state }) => state,
    STATUS: ({ status }) => String(status),
    TOOK: {
      cell: ({ tookMs }) => spanText(tookMs),
      value: ({ tookMs }) => tookMs,
    },
    DONE: ({ done }) => String(done),
    FAILED: ({ failed }) => String(failed),
  }),
  async *run({ input: { stateDir, runKey }, environment, note }) {
    if (!(await readStat(stateDir))?.isDirectory) {
      throw new ConfigError(`There is no directory "${stateDir}"`);
    }
    const statuses: number[] = [];
    for (const found of await fleetRuns(stateDir, runKey)) {
      const row = toRow(found, environment.now());
      if (row === undefined) {
        note(`${found.folder} has no matching run`);
        continue;
      }
      if (found.newest?.problem !== undefined) note(found.newest.problem);
      if (row.state === "waiting-approval") {
        for (const { tag, lastsMs } of askedIn(found)) {
          note(
            `${
              row.folder || row.cluster
            } waits for approval "${tag}"; resume within ${
              spanText(lastsMs)
            } of the answer, then it expires`,
          );
        }
      }
      statuses.push(row.status);
      yield row;
    }
    if (statuses.length === 0) {
      throw new ConfigError(`There are no matching runs below "${stateDir}"`, {
        hint:
          "Check --state-dir and --run-key; a pod that fails before its run starts leaves none",
      });
    }
    const status = worstStatus(statuses);
    if (status === exitStatus.ok) return;
    const bad = statuses.filter((one) => one !== exitStatus.ok).length;
    const whole = `${bad} of ${statuses.length} clusters`;
    throw new OutcomeError("not all runs succeeded", whole, status);
  },
} satisfies Command<FleetRow, Values<typeof inputs>>;

/** Pending approvals of a cluster's newest run. */
function askedIn({ newest }: FleetCluster): Iterable<OpenQuestion> {
  return newest?.run?.history.asked.values() ?? [];
}

function toRow(
  { folder, newest }: FleetCluster,
  now: Date,
): FleetRow | undefined {
  if (newest === undefined) return undefined;
  const { context: _, operator: __, next: ___, ...row } = historyRow(
    newest,
    now,
  );
  return { folder, ...row, status: statusOfRun(row.state, row.status) };
}

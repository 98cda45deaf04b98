import { eventsPath, readEvents } from "../../runbooks/store/event_file.ts";
import {
  conditionReader,
  findCondition,
  nextCommand,
} from "../../runbooks/store/run_condition.ts";
import { surveyRuns } from "../../runbooks/store/find_run.ts";
import { runFolder } from "../../runbooks/store/run_folder.ts";
import { isHeld } from "../../runbooks/store/run_lock.ts";
import {
  inCondition,
  type RunShown,
  RunState,
} from "../../runbooks/report/run_state.ts";
import { eventLine } from "../../runbooks/report/event_line.ts";
import type { Feed } from "../feed.ts";
import { pollFeed } from "../source.ts";

/** A run in the list. */
export interface RunLine {
  readonly id: string;
  /** Name of the runbook; empty for an unreadable run. */
  readonly runbook: string;
  readonly cluster: string;
  readonly clusterId: string;
  /** `running`, `interrupted`, or its result; `damaged` if it cannot be read. */
  readonly state: string;
  /** When it was started, ISO 8601. */
  readonly at: string;
  readonly operator: string;
  /** True while a process runs it. */
  readonly isRunning: boolean;
  /** Command that resumes it; absent if there is nothing to resume. */
  readonly next?: string | undefined;
}

/** Details of a run. */
export interface RunDetail {
  readonly run: RunShown;
  /** Its events, as lines; latest last. */
  readonly lines: readonly string[];
}

const mostRuns = 200;

const mostLines = 500;

/** Feeds of the runs in a folder. */
export interface RunFeeds {
  readonly list: Feed<readonly RunLine[]>;
  readonly detail: (id: string) => Feed<RunDetail>;
}

/** Makes the feeds of runs, which need no node. `folder`: folder of all runs; may be missing. */
export function runFeeds(folder: string): RunFeeds {
  const details = new Map<string, Feed<RunDetail>>();
  return {
    list: pollFeed<readonly RunLine[]>("runs", async () => {
      const lines: RunLine[] = [];
      for await (const { header, run } of surveyRuns(folder)) {
        lines.push({
          id: header.id,
          runbook: header.runbook,
          cluster: header.cluster.name,
          clusterId: header.cluster.id,
          state: run === undefined ? "damaged" : findCondition(run),
          at: header.at,
          operator: header.operator,
          isRunning: run?.held ?? false,
          ...run && { next: nextCommand(run) },
        });
        if (lines.length >= mostRuns) break;
      }
      return lines;
    }),
    detail(id) {
      const feed = details.get(id) ?? watchDetail(folder, id);
      details.set(id, feed);
      return feed;
    },
  };
}

function watchDetail(runs: string, id: string): Feed<RunDetail> {
  const folder = runFolder(runs, id);
  return {
    name: `run ${id}`,
    isLarge: true,
    async *open({ signal, pause }) {
      const state = new RunState();
      const lines: string[] = [];
      const read = conditionReader(runs, id);
      let moment = await read();
      const shown = () => ({ run: inCondition(state.shown(), moment), lines });
      const follow = { goesOn: () => isHeld(folder), signal };
      for await (const event of readEvents(eventsPath(folder), follow)) {
        state.take(event);
        const line = eventLine(event, state);
        if (line !== undefined) lines.push(line);
        if (lines.length > mostLines) lines.shift();
        yield shown();
      }
      if (signal.aborted) return;
      moment = await read();
      yield shown();
      // A finished run does not change, unless another process resumes it.
      const isOver = moment.at !== undefined;
      while (isOver && !signal.aborted && await read() === moment) {
        await pause();
      }
    },
  };
}

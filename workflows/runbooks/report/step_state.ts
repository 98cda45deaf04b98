/** Progress of each step of the runbook, in detail for those outside fan-outs. */

import type { EventFold, RunEvent } from "../event.ts";
import { stageTitle } from "./activity.ts";
import { isOfNode } from "./instances.ts";
import { spanText } from "./span.ts";

/** Progress of a step of the runbook. */
export interface StageShown {
  /** Path of the step; it has one part. */
  readonly path: string;
  /** Title of the step; its id if it has none. */
  readonly title: string;
  /** `next` before it starts, `running`, `waiting`, or its result. */
  readonly state:
    | "next"
    | "running"
    | "waiting"
    | "done"
    | "failed"
    | "skipped";
  /** Path of the running step in it, outside fan-outs; empty if none is running. */
  readonly at: string;
  /** Reason for waiting, or the last report. */
  readonly text: string;
  /** When that started, in milliseconds since 1970. */
  readonly since?: number;
  /** End of its wait, in milliseconds since 1970; absent if unknown. */
  readonly until?: number;
  /** True when it contains a fan-out, whose nodes show the progress. */
  readonly fanOut: boolean;
  /** True when it runs another runbook, whose fan-outs are known only when they start. */
  readonly isUse?: true;
}

/** Starts empty; steps are in the order of admission. */
export function foldStages(): EventFold<readonly StageShown[]> {
  const stages = new Map<string, StageShown>();
  return {
    take(event) {
      if (event.type === "run.planned") {
        for (const stage of event.data.stages ?? []) {
          const { path, state = "next" } = stage;
          stages.set(path, {
            ...next(path),
            title: stageTitle(stage),
            state,
            ...stage.verb === "use" && { isUse: true },
          });
        }
      }
      const { path } = event;
      if (path === undefined) return;
      const top = path.split("/")[0] ?? path;
      const before = stages.get(top) ?? next(top);
      stages.set(top, after(before, event, path));
    },
    shown: () => [...stages.values()],
  };
}

function next(path: string): StageShown {
  const title = path;
  return { path, title, state: "next", at: "", text: "", fanOut: false };
}

function after(
  { until: _, ...before }: StageShown,
  event: RunEvent,
  path: string,
): StageShown {
  if (isOfNode(event) || event.type === "group.resolved") {
    const state = before.state === "next" ? "running" : before.state;
    return { ...before, state, fanOut: true };
  }
  // A step on a node is shown in the line of the node.
  if (event.node !== undefined) return before;
  const since = Date.parse(event.ts);
  const isWhole = path === before.path;
  switch (event.type) {
    case "step.start": {
      const { startedAt = event.ts } = event.data;
      const since = Date.parse(startedAt);
      return { ...before, state: "running", at: path, text: "", since };
    }
    case "step.waiting":
    case "approval.requested": {
      const text = event.type === "step.waiting"
        ? event.data.reason
        : "an approval";
      const startedAt = before.at === path ? before.since ?? since : since;
      const { until } = { until: undefined, ...event.data };
      return {
        ...before,
        state: "waiting",
        at: path,
        text,
        since: startedAt,
        ...until !== undefined && { until: Date.parse(until) },
      };
    }
    case "step.progress": {
      const text = event.data.reason ?? before.text;
      return { ...before, state: "running", at: path, text };
    }
    case "step.retry": {
      const { code, waitMs = 0 } = event.data;
      return { ...before, text: `${code}, again in ${spanText(waitMs)}` };
    }
    case "approval.answered":
      return { ...before, state: "running", text: "" };
    case "step.done":
    case "step.failed":
    case "step.skipped": {
      if (!isWhole) return { ...before, state: "running", text: "" };
      const state = endings[event.type];
      return { ...before, state, at: "", text: "" };
    }
    default:
      return before;
  }
}

const endings = {
  "step.done": "done",
  "step.failed": "failed",
  "step.skipped": "skipped",
} as const;

/** How far each fan-out is, and what is left of its budget. */

import type {
  EventFold,
  EventOf,
  NodeState,
  PlannedRun,
  RunEvent,
} from "../event.ts";
import { isOfNode, type NodeEvent } from "./instances.ts";

/** How far a fan-out is. */
export interface FanOutShown {
  readonly path: string;
  readonly nodes: number;
  /** How many have ended, in whatever way. */
  readonly ended: number;
  readonly inFlight: number;
  /** How many have failed, those that were rescued included. */
  readonly failures: number;
  /** How many are unavailable for any reason; those in it when nothing was reported. */
  readonly unavailable: number;
  /** How many may be away; absent when it was not reported. */
  readonly maxUnavailable?: number;
  /** How many may fail; absent when it was not reported. */
  readonly maxFailures?: number;
  /** How many may be in it at once; absent for a ramp, and when it was not told. */
  readonly atOnce?: number;
  /** Batch of a ramp that began last, from 1; absent before the first. */
  readonly batch?: number;
  /** How many batches a ramp has; absent where it is none. */
  readonly batches?: number;
  readonly open: boolean;
}

interface Known {
  readonly path: string;
  readonly nodes: Set<string>;
  readonly inFlight: Set<string>;
  readonly ended: Set<string>;
  readonly failed: Set<string>;
  limits: Pick<
    FanOutShown,
    "maxUnavailable" | "maxFailures" | "atOnce" | "batches"
  >;
  batch: number | undefined;
  away: number | undefined;
  open: boolean;
}

/** Starts without any; fan-outs are in the order they began. */
export function foldFanOuts(): EventFold<readonly FanOutShown[]> {
  const known = new Map<string, Known>();

  function named(path: string): Known {
    const one = known.get(path) ?? unknown(path);
    known.set(path, one);
    return one;
  }

  return {
    take(event) {
      const { path = "", node } = event;
      if (event.type === "run.planned") {
        for (const one of endedIn(event.data)) known.set(one.path, one);
      } else if (isOfNode(event)) {
        afterNode(named(path), event);
      } else if (event.type === "group.resolved") {
        begin(named(path), event.data);
      } else if (node === undefined) {
        const one = known.get(path);
        if (one !== undefined) afterStep(one, event);
      }
    },
    shown: () => [...known.values()].map(shown),
  };
}

/** Fan-outs that had ended before this process took the run up. `event`: `run.planned`. */
function endedIn({ fanOuts = [] }: PlannedRun): readonly Known[] {
  return fanOuts.flatMap(({ path, nodes, state }) => {
    if (state !== "done") return [];
    const ended = { nodes: new Set(nodes), ended: new Set(nodes), open: false };
    return [{ ...unknown(path), ...ended }];
  });
}

function unknown(path: string): Known {
  return {
    path,
    nodes: new Set(),
    inFlight: new Set(),
    ended: new Set(),
    failed: new Set(),
    limits: {},
    batch: undefined,
    away: undefined,
    open: true,
  };
}

function begin(
  one: Known,
  { nodes, ...limits }: EventOf<"group.resolved">["data"],
): void {
  one.open = true;
  one.limits = limits;
  for (const node of nodes) one.nodes.add(node);
}

const failures: ReadonlySet<NodeState> = new Set([
  "failed",
  "recovered",
  "blocked",
]);

function afterNode(one: Known, event: NodeEvent): void {
  const { node } = event;
  one.nodes.add(node);
  switch (event.type) {
    case "node.entered":
      // Maybe once more, after it has failed.
      one.ended.delete(node);
      one.failed.delete(node);
      one.inFlight.add(node);
      one.batch = event.data.batch ?? one.batch;
      break;
    case "node.ended":
      one.inFlight.delete(node);
      one.ended.add(node);
      if (failures.has(event.data.state)) one.failed.add(node);
      break;
  }
}

function afterStep(one: Known, event: RunEvent): void {
  switch (event.type) {
    case "step.done":
    case "step.failed":
      one.open = false;
      break;
    case "step.waiting":
    case "step.progress":
      one.away = event.data.unavailable ?? one.away;
  }
}

function shown(one: Known): FanOutShown {
  const { path, nodes, inFlight, ended, failed, limits, away, open } = one;
  const { batch } = one;
  return {
    path,
    nodes: nodes.size,
    ended: ended.size,
    inFlight: inFlight.size,
    failures: failed.size,
    unavailable: away ?? inFlight.size,
    ...limits,
    ...limits.batches === undefined || batch === undefined ? {} : { batch },
    open,
  };
}

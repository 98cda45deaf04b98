/** Progress of each fan-out, and its remaining budget. */

import type {
  EventFold,
  EventOf,
  NodeState,
  PlannedRun,
  RunEvent,
} from "../event.ts";
import { isOfNode, type NodeEvent } from "./instances.ts";

/** Progress of a fan-out. */
export interface FanOutShown {
  readonly path: string;
  readonly nodes: number;
  /** Number of finished nodes, whatever the result. */
  readonly ended: number;
  readonly inFlight: number;
  /** Number of failed nodes, including rescued ones. */
  readonly failures: number;
  /** Number of unavailable nodes, for any reason; if not reported, the running ones. */
  readonly unavailable: number;
  /** Maximum of unavailable nodes; absent if not reported. */
  readonly maxUnavailable?: number;
  /** Maximum of failed nodes; absent if not reported. */
  readonly maxFailures?: number;
  /** Maximum of nodes at once; absent for a ramp, and if not reported. */
  readonly atOnce?: number;
  /** Current batch of a ramp, from 1; absent before the first. */
  readonly batch?: number;
  /** Number of batches of a ramp; absent without one. */
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

/** Starts empty; fan-outs are in the order they started. */
export function foldFanOuts(): EventFold<readonly FanOutShown[]> {
  const known = new Map<string, Known>();

  function ensurePath(path: string): Known {
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
        afterNode(ensurePath(path), event);
      } else if (event.type === "group.resolved") {
        begin(ensurePath(path), event.data);
      } else if (node === undefined) {
        const one = known.get(path);
        if (one !== undefined) afterStep(one, event);
      }
    },
    shown: () => [...known.values()].map(toShown),
  };
}

/** Fan-outs that had finished before this process resumed the run. `event`: `run.planned`. */
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
      // It may run again after a failure.
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

function toShown(one: Known): FanOutShown {
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

/** Progress of each fan-out, and its remaining budget. */

import type { EventFold, EventOf, PlannedRun, RunEvent } from "../event.ts";
import { failedStates } from "./buckets.ts";
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
  /** Mean duration of its nodes that are done, in milliseconds; absent before the first. */
  readonly meanMs?: number;
  /** True when its steps make nodes unavailable. */
  readonly disrupts: boolean;
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
  /** Durations of nodes that are done, in milliseconds. */
  readonly times: Map<string, number>;
  disrupts: boolean;
  open: boolean;
}

/** Starts empty; fan-outs are in the order of the plan. */
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
        for (const one of planned(event.data)) known.set(one.path, one);
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

/** Fan-outs whose nodes are known; some may have finished before this process resumed the run. */
function planned({ fanOuts = [] }: PlannedRun): readonly Known[] {
  return fanOuts.map(({ path, nodes, disrupts = false, state, done = [] }) => ({
    ...unknown(path),
    times: new Map(
      done.flatMap(({ node, tookMs, resumed }) =>
        resumed ? [] : [[node, tookMs] as const]
      ),
    ),
    nodes: new Set(nodes),
    disrupts,
    ended: new Set(state === "done" ? nodes : done.map(({ node }) => node)),
    open: false,
  }));
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
    times: new Map(),
    disrupts: false,
    open: true,
  };
}

function begin(
  one: Known,
  { nodes, disrupts, ...limits }: EventOf<"group.resolved">["data"],
): void {
  one.open = true;
  one.disrupts ||= disrupts === true;
  one.limits = limits;
  for (const node of nodes) one.nodes.add(node);
}

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
    case "node.ended": {
      const { state, tookMs, resumed, version } = event.data;
      one.inFlight.delete(node);
      // A run that stops reports the nodes it has not reached.
      if (state !== "not-reached") one.ended.add(node);
      if (failedStates.has(state)) one.failed.add(node);
      // How long a node takes does not depend on an interruption.
      if (state === "done" && tookMs !== undefined && !resumed) {
        one.times.set(node, tookMs);
      }
      one.disrupts ||= version !== undefined;
      break;
    }
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
  const { batch, times, disrupts } = one;
  const sum = [...times.values()].reduce((total, ms) => total + ms, 0);
  return {
    path,
    nodes: nodes.size,
    ended: ended.size,
    inFlight: inFlight.size,
    failures: failed.size,
    unavailable: away ?? inFlight.size,
    ...limits,
    ...limits.batches === undefined || batch === undefined ? {} : { batch },
    ...times.size === 0 ? {} : { meanMs: Math.round(sum / times.size) },
    disrupts,
    open,
  };
}

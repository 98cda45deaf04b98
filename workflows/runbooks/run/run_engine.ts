/** Puts a run together: nodes, time, journal and people, and the engine that they are for. */

import { knownMembers, type Member } from "../../../transport/node/members.ts";
import type { Nodes } from "../../../transport/node/nodes.ts";
import type { Check } from "../../checks/check.ts";
import { createArbiter } from "../../operations/arbiter.ts";
import {
  type ClusterView,
  memberNamed,
} from "../../operations/cluster_view.ts";
import type { Allowance } from "../../etcd/quorum.ts";
import type { OperationClock } from "../../operations/operation.ts";
import { type Beginning, type RunEnd, runRunbook } from "../engine/run.ts";
import type { RunCluster, Surroundings } from "../engine/engine_options.ts";
import { touchedOf } from "../journal/resume_state.ts";
import type { Found } from "../language/lookup.ts";
import type { Module } from "../module.ts";
import { readAgain, readFacts } from "../read_facts.ts";
import { makeEvaluator } from "../language/typing/evaluator.ts";

/** What a run is given from outside; the rest follows from it. */
export interface Conduct extends
  Pick<
    Surroundings,
    | "run"
    | "runbook"
    | "inputs"
    | "clock"
    | "random"
    | "journal"
    | "history"
    | "hold"
    | "room"
    | "ask"
    | "stop"
    | "parallel"
    | "limit"
    | "tell"
  > {
  /** The cluster; see {@linkcode reachCluster}. */
  readonly cluster: RunCluster;
  /** What the runbooks name. */
  readonly found: Found;
  /** Checks by name. */
  readonly checks: ReadonlyMap<string, Check>;
  /** Rules that are loosened now, for whoever wants to know; default a set of its own. */
  readonly allowed?: Set<Allowance>;
}

/**
 * Runs a runbook, or goes on with it, until it ends for now or for good.
 *
 * @param given What it is given.
 * @param beginning What is known before.
 */
export function conduct(
  given: Conduct,
  beginning: Beginning,
): Promise<RunEnd> {
  const { found, cluster, clock, history, ...rest } = given;
  const touched = touchedOf(history);
  const { allowed = new Set<Allowance>() } = given;
  return runRunbook({
    ...rest,
    cluster,
    clock,
    history,
    touched,
    allowed,
    arbiter: createArbiter({ ...cluster.view, allowed, clock }),
    module: (name) => known(found, name),
    evaluator: makeEvaluator(found, {
      reached: (path) => touched.has(path),
      now: clock.now,
    }),
  }, beginning);
}

function known(found: Found, name: string): Module {
  const module = found.module(name);
  if (module === undefined) throw new TypeError(`No module "${name}"`);
  return module;
}

/**
 * Makes the cluster as a run reaches it: nodes are dialled by address, whatever they are called.
 *
 * @param nodes Opened over the credentials of the run.
 * @param view The cluster of these nodes.
 * @param clock Time.
 * @param signal Ends reading.
 */
export function reachCluster(
  nodes: Pick<Nodes, "at" | "endpoint">,
  view: ClusterView,
  clock: OperationClock,
  signal: AbortSignal,
): RunCluster {
  async function at(node: string) {
    const member = memberNamed(await view.members(), node);
    return await nodes.at(member?.address ?? node);
  }
  const reached: ClusterView = { ...view, at };

  function readNow() {
    // Who has joined or left since is what is asked for.
    let known: Promise<readonly Member[]> | undefined;
    const members = () => known ??= nodes.endpoint().then(knownMembers);
    return readFacts({ cluster: { ...reached, members }, clock, signal });
  }

  return {
    view: reached,
    at,
    any: nodes.endpoint,
    readFacts: readNow,
    readAgain: (before) =>
      readAgain({ cluster: reached, clock, signal }, before),
  };
}

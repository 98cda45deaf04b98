/** Contexts of modules and checks, the same in a run and in a plan. */

import type { CheckContext } from "../../checks/check.ts";
import type { StepContext } from "../../modules/module.ts";
import type { OverridableRule } from "../../operations/safety_rules.ts";
import type { Json } from "../../../lib/json.ts";
import type { EngineOptions } from "./engine_options.ts";
import { type Frame, nodesIn } from "./frame.ts";

/** The run or plan that a module or check is part of. */
export interface ContextSource
  extends Pick<EngineOptions, "run" | "cluster" | "clock" | "resources"> {
  /** Nodes of groups, by `groupKey`. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** All nodes that the run concerns. */
  readonly members: Iterable<string>;
  /** Reports whether a rule is overridden. */
  readonly overridden: (rule: OverridableRule) => Promise<boolean>;
}

type Place = Pick<Frame<unknown>, "book" | "node">;

/** Makes the context of a module. `target`: the node to run on; empty for cluster-wide modules. */
export async function stepContext(
  source: ContextSource,
  place: Place,
  target: string,
  { signal, note }: Pick<StepContext, "signal" | "note">,
): Promise<StepContext> {
  const { run, cluster, clock, resources, groups, overridden } = source;
  return {
    ...resources,
    run,
    node: target,
    client: await (target === "" ? cluster.any() : cluster.at(target)),
    cluster: cluster.view,
    signal,
    clock,
    note,
    overridden,
    group: (name) => nodesIn(groups, place, name),
  };
}

/** Makes the context of a check. `input`: its input, which may name another node. */
export function checkContext(
  { cluster, clock, groups, members, overridden }: ContextSource,
  place: Place,
  input: Readonly<Record<string, Json>>,
  signal: AbortSignal,
): CheckContext {
  const node = typeof input.node === "string" ? input.node : place.node;
  const about = node === undefined ? {} : { node };
  return {
    ...about,
    cluster: cluster.view,
    clock,
    signal,
    overridden,
    group: (name) =>
      name === undefined
        ? Promise.resolve([...members])
        : nodesIn(groups, { ...place, ...about }, name),
  };
}

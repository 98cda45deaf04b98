/** Whether a run would do what was planned: what has changed since. */

import type { Json } from "../../operations/operation.ts";
import type { Plan, PlannedGroup } from "./plan.ts";
import { hashFacts, hashRunbook } from "./plan_facts.ts";
import { type Beginnings, beginNow } from "./groups_now.ts";

/**
 * Finds what a plan rests on and is not so any more.
 *
 * @returns What has changed, one line each, for people; empty when nothing has.
 */
export async function changedSince(
  plan: Plan,
  now: Beginnings,
): Promise<readonly string[]> {
  const { runbook, facts } = now;
  if (plan.ir !== await hashRunbook(runbook)) {
    return ["the runbook, or one that it uses, has changed"];
  }
  const { cluster } = facts;
  if (plan.cluster.id !== cluster.id) {
    return [
      `it was made for the cluster "${plan.cluster.name}" (${plan.cluster.id}), this is "${cluster.name}" (${cluster.id})`,
    ];
  }
  const { book, nodesOf } = await beginNow(now);
  const inputs = changedInputs(plan.inputs, book.inputs);
  // With other inputs other nodes are meant.
  if (inputs.length > 0) return inputs;
  const groups = plan.groups.flatMap((group) =>
    changedGroup(group, nodesOf(group.name))
  );
  const about = new Set(Object.keys(plan.facts));
  const hashes = await hashFacts(runbook, facts, about);
  return [...groups, ...changedFacts(plan.facts, hashes)];
}

function changedInputs(
  before: Readonly<Record<string, Json>>,
  now: Readonly<Record<string, Json>>,
): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].flatMap((name) => {
    const [was, is] = [before[name], now[name]].map(textOf);
    return was === is ? [] : [`input "${name}" was ${was}, and is ${is}`];
  });
}

function textOf(value: Json | undefined): string {
  return value === undefined ? "left out" : JSON.stringify(value);
}

/** Who is in a group; their order follows from facts, and from who leads etcd then. */
function changedGroup(
  { name, nodes }: PlannedGroup,
  now: readonly string[],
): readonly string[] {
  const joined = now.filter((node) => !nodes.includes(node));
  const left = nodes.filter((node) => !now.includes(node));
  const parts = [
    joined.length > 0 ? `${joined.join(", ")} joined` : "",
    left.length > 0 ? `${left.join(", ")} left` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? [] : [`group "${name}": ${parts.join(", ")}`];
}

function changedFacts(
  before: Plan["facts"],
  now: Plan["facts"],
): readonly string[] {
  return Object.keys(before).flatMap((node) => {
    const is = now[node];
    if (is === before[node]) return [];
    if (node === "") return ["the name or the endpoint of the cluster"];
    return is === undefined
      ? [`${node} no longer exists`]
      : [`${node} has changed`];
  });
}

import { isRecord, type Json, parseJson } from "../../../lib/json.ts";
import { ConfigError, RefusedError } from "../../../errors.ts";
import { groupsAtStart, type RunStart } from "./initial_groups.ts";
import type { Plan, PlannedGroup } from "./plan.ts";
import { hashFacts, hashRunbook } from "./plan_facts.ts";
import { readBoundedText } from "../../../lib/files/bounded_file.ts";

/** Refuses a run that differs from its plan. Throws `RefusedError` naming the changes. */
export async function refuseUnlike(
  plan: Plan,
  now: RunStart,
): Promise<void> {
  const changes = await changedSince(plan, now);
  if (changes.length === 0) return;
  const said = changes.slice(0, most).join("; ");
  const more = changes.length > most
    ? `; and ${changes.length - most} more`
    : "";
  throw new RefusedError(
    `Cannot run "${now.runbook.name}" with the plan of ${plan.madeAt}: ${said}${more}`,
    { hint: "Make a new plan with osctl runbook plan, and have it reviewed" },
  );
}

const most = 8;

/**
 * Finds changes since a plan was made.
 *
 * @returns Changes, one line each, for display; empty when there are none.
 */
export async function changedSince(
  plan: Plan,
  now: RunStart,
): Promise<readonly string[]> {
  const { runbook, facts } = now;
  if (plan.ir !== await hashRunbook(runbook)) {
    return ["the runbook, or one that it uses, has changed"];
  }
  const { cluster } = facts;
  if (plan.cluster.id !== cluster.id) {
    return [
      `it was made for the cluster "${plan.cluster.name}" (${plan.cluster.id}); this is "${cluster.name}" (${cluster.id})`,
    ];
  }
  const { book, resolveGroup } = await groupsAtStart(now);
  const inputs = changedInputs(plan.inputs, book.inputs);
  // Other inputs select other nodes.
  if (inputs.length > 0) return inputs;
  const groups = plan.groups.flatMap((group) =>
    changedGroup(group, resolveGroup(group.name))
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
    const [was, is] = [before[name], now[name]].map(formatValue);
    return was === is ? [] : [`input "${name}" was ${was} and is now ${is}`];
  });
}

function formatValue(value: Json | undefined): string {
  return value === undefined ? "not given" : JSON.stringify(value);
}

/** Compares the nodes of a group; their order depends on facts, and on the current etcd leader. */
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

/** Maximum file size, in MiB; a plan for a thousand nodes has a few MiB. */
const limitMib = 64;

/**
 * Reads a plan.
 *
 * @param path File written by `osctl runbook plan -o json`.
 * @throws {ConfigError} If it does not exist, or is not a plan.
 */
export async function readPlan(path: string): Promise<Plan> {
  const text = await readBoundedText({
    path,
    limitMib,
    expected: "a plan",
  });
  if (text === undefined) throw new ConfigError(`There is no file "${path}"`);
  const found = parseJson(text);
  if (isPlan(found)) return found;
  throw new ConfigError(`Cannot read "${path}": it is not a plan`, {
    hint: "Make one with: osctl runbook plan <runbook> -o json",
  });
}

/** Validates the fields that a run is compared with; the others are for display. */
function isPlan(value: unknown): value is Plan {
  if (!isRecord(value) || value.v !== 1) return false;
  const { ir, cluster, inputs, groups, facts } = value;
  return typeof ir === "string" && isRecord(inputs) &&
    isRecord(cluster) && typeof cluster.id === "string" &&
    Array.isArray(groups) && groups.every(isGroup) &&
    isRecord(facts) &&
    Object.values(facts).every((one) => typeof one === "string");
}

function isGroup(value: unknown): boolean {
  return isRecord(value) && typeof value.name === "string" &&
    Array.isArray(value.nodes) &&
    value.nodes.every((node) => typeof node === "string");
}

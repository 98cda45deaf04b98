/** Findings, and asking many nodes for one. */

import { OsctlError, UsageError } from "../../errors.ts";
import { fanOut } from "../../transport/node/fan_out.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import type { Json } from "../operations/operation.ts";
import type { Field } from "../runbooks/field.ts";
import type { Loosenable } from "../runbooks/runbook.ts";
import type { CheckSite, Finding } from "./check.ts";

/** Longest time for one answer of one node, in milliseconds. */
export const answerMs = 10_000;

/** Nodes asked at once. */
const atOnce = 64;

/** Problems that are spelt out; of the others only their number is told. */
const spelt = 3;

/** Input that names a group of nodes. */
export const groupField: Field = {
  type: "string",
  summary: "Group of nodes, default all nodes",
};

/** Input that names a node. */
export const nodeField: Field = {
  type: "node",
  summary: "Node, default the one of the fan-out",
};

/** Input that names a node which has left, whatever the cluster still says of it. */
export const goneField: Field = {
  type: "string",
  summary: "Node that has left and does not count, by name or address",
};

/** It holds. */
export function holds(seen: string): Finding {
  return { ok: true, seen };
}

/** It does not hold. */
export function lacks(reason: string): Finding {
  return { ok: false, reason };
}

/**
 * Makes a finding of what is wrong.
 *
 * @param problems One line each; none when it holds.
 * @param seen What was seen when there are none.
 */
export function unless(problems: readonly string[], seen: string): Finding {
  if (problems.length === 0) return holds(seen);
  const more = problems.length - spelt;
  const texts = problems.slice(0, spelt).join("; ");
  return lacks(more > 0 ? `${texts}; and ${more} more` : texts);
}

/** So many of something: `1 node`, `3 nodes`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * The node a check looks at.
 *
 * @param input Its field `node` wins.
 * @throws {UsageError} If there is none.
 */
export function nodeOf(
  site: Pick<CheckSite, "node">,
  input: Readonly<Record<string, Json>>,
): string {
  const node = typeof input.node === "string" ? input.node : site.node;
  if (node !== undefined) return node;
  throw new UsageError("The check looks at one node, and none is named", {
    hint: "Name it under with.node, or use the check inside a forEach",
  });
}

/**
 * The nodes a check looks at.
 *
 * @param input Its field `group` names a group; all nodes without.
 */
export function groupOf(
  site: Pick<CheckSite, "group">,
  input: Readonly<Record<string, Json>>,
): Promise<readonly string[]> {
  const { group } = input;
  return typeof group === "string" ? site.group(group) : site.group();
}

/**
 * The control planes among the nodes a check looks at.
 *
 * @throws {OsctlError} If the role of one is unknown.
 */
export async function controlPlanesOf(
  site: Pick<CheckSite, "group" | "cluster">,
  input: Readonly<Record<string, Json>>,
): Promise<readonly string[]> {
  const nodes = await groupOf(site, input);
  const roles = await Promise.all(nodes.map(site.cluster.roleOf));
  const unknown = nodes.filter((_, index) => roles[index] === "unknown");
  if (unknown.length > 0) {
    throw new OsctlError(`The role of ${unknown.join(", ")} is unknown`, {
      hint: "See: osctl get machinetype --nodes ADDRESS",
    });
  }
  return nodes.filter((_, index) => roles[index] === "controlplane");
}

/** What nodes answered, and what is wrong with those that did not. */
export interface Answers<T> {
  /** Answers by node, in the order of the nodes. */
  readonly values: ReadonlyMap<string, T>;
  /** One line for each that failed: the node and why. */
  readonly problems: readonly string[];
}

/**
 * Asks nodes, all at once.
 *
 * @param site The cluster.
 * @param nodes Names or addresses.
 * @param ask Asks one; what it raises is a problem of that node.
 */
export async function askAll<T>(
  { cluster, signal }: Pick<CheckSite, "cluster" | "signal">,
  nodes: readonly string[],
  ask: (client: NodeClient) => Promise<T>,
): Promise<Answers<T>> {
  const found = new Map<string, { readonly value: T } | string>();
  const mistakes: unknown[] = [];
  const answers = fanOut<{ readonly value: T } | string>({
    nodes,
    atOnce,
    signal,
    async *open(node) {
      try {
        yield { value: await ask(await cluster.at(node)) };
      } catch (error) {
        if (error instanceof OsctlError) yield `${node}: ${error.message}`;
        else mistakes.push(error);
      }
    },
  });
  for await (const { node, value } of answers) found.set(node, value);
  signal.throwIfAborted();
  for (const mistake of mistakes) throw mistake;
  const rows = nodes.flatMap((node) => {
    const one = found.get(node);
    return one === undefined ? [] : [[node, one] as const];
  });
  return {
    values: new Map(
      rows.flatMap(([node, one]) =>
        typeof one === "string" ? [] : [[node, one.value]]
      ),
    ),
    problems: rows.flatMap(([, one]) => typeof one === "string" ? [one] : []),
  };
}

/**
 * Looks at nodes, all at once.
 *
 * @param look Tells what is wrong with one; `undefined` for nothing.
 * @returns One line for each that is wrong or does not answer: the node and why.
 */
export async function problemsOf(
  site: Pick<CheckSite, "cluster" | "signal">,
  nodes: readonly string[],
  look: (client: NodeClient) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const { values, problems } = await askAll(site, nodes, look);
  const wrong = [...values].flatMap(([node, text]) =>
    text === undefined ? [] : [`${node}: ${text}`]
  );
  return [...problems, ...wrong];
}

/**
 * Looks at nodes for what breaks a safety rule. Once it is loosened, what breaks it is told and does not count; a
 * node that does not answer still does.
 *
 * @param site The nodes, and which rules are loosened.
 * @param rule The rule.
 * @param nodes Names or addresses.
 * @param look Tells what breaks it on one; `undefined` for nothing.
 * @param seen What was seen when nothing does.
 */
export async function unlessLoosened(
  site: Pick<CheckSite, "cluster" | "loosened" | "signal">,
  rule: Loosenable,
  nodes: readonly string[],
  look: (client: NodeClient) => Promise<string | undefined>,
  seen: string,
): Promise<Finding> {
  const { values, problems } = await askAll(site, nodes, look);
  const breaks = [...values].flatMap(([node, text]) =>
    text === undefined ? [] : [`${node}: ${text}`]
  );
  const found = unless([...problems, ...breaks], seen);
  if (found.ok || problems.length > 0) return found;
  return await site.loosened?.(rule)
    ? holds(`${found.reason} (loosened by ${rule})`)
    : found;
}

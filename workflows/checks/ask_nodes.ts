import { domain } from "../../talos.ts";
import { OsctlError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { single } from "../../transport/call/reply.ts";
import { withoutQuotes } from "../../transport/connect/status_text.ts";
import type { ServiceInfo, Version } from "../../transport/gen/machine.ts";
import { fanOut } from "../../transport/node/fan_out.ts";
import { knownMembers, type Member } from "../../transport/node/members.ts";
import { readSpecs } from "../../transport/node/read_resource.ts";
import { askControlPlanes } from "../operations/cluster_view.ts";
import type { Json } from "../../lib/json.ts";
import type { ValueFields } from "../runbook_cel/field.ts";
import type { OverridableRule } from "../operations/safety_rules.ts";
import {
  type Check,
  type CheckContext,
  groupField,
  holds,
  unless,
} from "./check.ts";
import { formatCount } from "../../lib/text/count.ts";

/** Longest time for one answer of one node, in milliseconds. */
export const answerMs = 10_000;

const atOnce = 64;

interface GroupCheck extends Pick<Check, "name" | "summary"> {
  readonly input?: ValueFields;
  /** Safety rule it is about, which may be overridden. */
  readonly rule?: OverridableRule;
  /** True when waiting does not change what is wrong; so it is of what breaks a rule. */
  readonly lasts?: true;
  /** Reports what is wrong with a node; `undefined` for nothing. */
  readonly problemOf: (
    client: NodeClient,
    input: Readonly<Record<string, Json>>,
  ) => Promise<string | undefined>;
  /** What was seen when nothing is wrong with so many nodes: `3 nodes`. */
  readonly seen: (
    nodes: string,
    input: Readonly<Record<string, Json>>,
  ) => string;
}

/**
 * Makes a check that looks at every node of a group, all at once. Once its rule is overridden, what breaks it is reported and
 * does not count; a node that does not answer still does.
 */
export function groupCheck(
  { name, summary, input: more = {}, rule, lasts, problemOf, seen }: GroupCheck,
): Check {
  return {
    name,
    summary,
    scope: "cluster",
    input: { ...more, group: groupField },
    async run(site, input) {
      const nodes = await readGroup(site, input);
      const { values, problems } = await askAll(
        site,
        nodes,
        (client) => problemOf(client, input),
      );
      const text = seen(formatCount(nodes.length, "node"), input);
      const found = unless([...problems, ...withNode(values)], text);
      if (found.ok || problems.length > 0) return found;
      if (rule === undefined) return lasts ? { ...found, final: true } : found;
      return await site.overridden?.(rule)
        ? holds(`${found.reason} (overridden by ${rule})`)
        : { ...found, final: true };
    },
  };
}

/** The nodes a check looks at. `input`: its field `group` names a group; all nodes without. */
export function readGroup(
  site: Pick<CheckContext, "group">,
  input: Readonly<Record<string, Json>>,
): Promise<readonly string[]> {
  const { group } = input;
  return typeof group === "string" ? site.group(group) : site.group();
}

/** The control planes among the nodes a check looks at. Throws `OsctlError` if the role of one is unknown. */
export async function readControlPlanes(
  site: Pick<CheckContext, "group" | "cluster">,
  input: Readonly<Record<string, Json>>,
): Promise<readonly string[]> {
  const nodes = await readGroup(site, input);
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
interface NodeAnswers<T> {
  /** Answers by node, in the order of the nodes. */
  readonly values: ReadonlyMap<string, T>;
  /** One line for each that failed: the node and why. */
  readonly problems: readonly string[];
}

/** Asks nodes, all at once. `ask`: asks one; what it raises is a problem of that node. */
export async function askAll<T>(
  { cluster, signal }: Pick<CheckContext, "cluster" | "signal">,
  nodes: readonly string[],
  ask: (client: NodeClient) => Promise<T>,
): Promise<NodeAnswers<T>> {
  const found = new Map<string, { readonly value: T } | string>();
  const problems: unknown[] = [];
  const answers = fanOut<{ readonly value: T } | string>({
    nodes,
    atOnce,
    signal,
    async *open(node) {
      try {
        yield { value: await ask(await cluster.at(node)) };
      } catch (error) {
        if (error instanceof OsctlError) yield `${node}: ${error.message}`;
        else problems.push(error);
      }
    },
  });
  for await (const { node, value } of answers) found.set(node, value);
  signal.throwIfAborted();
  for (const problem of problems) throw problem;
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
 * @param problemOf Reports what is wrong with one; `undefined` for nothing.
 * @returns One line for each that is wrong or does not answer: the node and why.
 */
export async function findProblems(
  site: Pick<CheckContext, "cluster" | "signal">,
  nodes: readonly string[],
  problemOf: (client: NodeClient) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const { values, problems } = await askAll(site, nodes, problemOf);
  return [...problems, ...withNode(values)];
}

function withNode(
  values: ReadonlyMap<string, string | undefined>,
): readonly string[] {
  return [...values].flatMap(([node, text]) =>
    text === undefined ? [] : [`${node}: ${text}`]
  );
}

/**
 * Members of a cluster at this moment.
 *
 * The view keeps the members it saw first, so a control plane is asked.
 *
 * @throws {OsctlError} If no control plane tells.
 */
export async function presentMembers(
  { cluster }: Pick<CheckContext, "cluster">,
): Promise<readonly Member[]> {
  return await askControlPlanes(
    cluster,
    (client) => knownMembers(client),
    "Cannot list the members of the cluster",
  );
}

/** Whether a member is the node that is meant. `node`: name or address; anything else is not a node. */
export function isNamed(
  { hostname, address }: Pick<Member, "hostname" | "address">,
  node: unknown,
): boolean {
  return node === hostname || node === address;
}

/** Asks a node for its version and platform. Source: `MachineService.Version`. */
export async function readVersion(
  { machine }: Pick<NodeClient, "machine">,
): Promise<Version> {
  const { messages } = await machine.version({}, { deadlineMs: answerMs });
  return single(messages);
}

/** Reads the services of a node. Source: `MachineService.ServiceList`. */
export async function readServices(
  { machine }: Pick<NodeClient, "machine">,
): Promise<readonly ServiceInfo[]> {
  const answer = await machine.serviceList({}, { deadlineMs: answerMs });
  return single(answer.messages).services;
}

/** Reads one service of a node; `undefined` when the node does not have it. */
export async function readService(
  client: Pick<NodeClient, "machine">,
  id: string,
): Promise<ServiceInfo | undefined> {
  return (await readServices(client)).find((service) => service.id === id);
}

/** Reads the problems a node has found itself; `undefined` if the role may not read them, or the node is too old to have any. */
export async function readDiagnostics(
  client: NodeClient,
): Promise<readonly string[] | undefined> {
  const type = `Diagnostics.runtime.${domain}`;
  const specs = await readSpecs(client, { namespace: "runtime", type });
  return specs === undefined
    ? undefined
    : [...specs].map(([id, { message }]) => String(message ?? id));
}

/**
 * Reports what keeps a service from working.
 *
 * @param checked True when its own check has to say that it is healthy; else it may not know.
 * @returns `undefined` when it works.
 */
export function serviceProblem(
  id: string,
  service: ServiceInfo | undefined,
  checked: boolean,
): string | undefined {
  if (service === undefined) return `${id} is not registered`;
  const { state, health, events } = service;
  if (state !== "Running") {
    const message = events?.events.at(-1)?.msg ?? "";
    const why = message === "" ? "" : ` (${message})`;
    return `${id} is ${state.toLowerCase() || "in no state"}${why}`;
  }
  const unknown = health === undefined || health.unknown;
  if (unknown && !checked || health?.healthy) return undefined;
  const message = withoutQuotes(health?.lastMessage ?? "");
  return `${id} is not healthy${message === "" ? "" : ` (${message})`}`;
}

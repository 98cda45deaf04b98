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

/** Timeout for each request, in milliseconds. */
export const answerMs = 10_000;

const atOnce = 64;

interface GroupCheck extends Pick<Check, "name" | "summary"> {
  readonly input?: ValueFields;
  /** Safety rule of the check, which may be overridden. */
  readonly rule?: OverridableRule;
  /** True when waiting does not help, as with violations of a rule. */
  readonly lasts?: true;
  /** Reports the problem of a node; `undefined` for none. */
  readonly findProblem: (
    client: NodeClient,
    input: Readonly<Record<string, Json>>,
  ) => Promise<string | undefined>;
  /** Text when no node has a problem: `3 nodes`. */
  readonly seen: (
    nodes: string,
    input: Readonly<Record<string, Json>>,
  ) => string;
}

/**
 * Creates a check of every node of a group, in parallel. With its rule overridden, violations are reported but pass; a
 * node that does not answer still fails.
 */
export function groupCheck(
  {
    name,
    summary,
    input: more = {},
    rule,
    lasts,
    findProblem,
    seen,
  }: GroupCheck,
): Check {
  return {
    name,
    summary,
    scope: "cluster",
    input: { ...more, group: groupField },
    async run(context, input) {
      const nodes = await readGroup(context, input);
      const { values, problems } = await askAll(
        context,
        nodes,
        (client) => findProblem(client, input),
      );
      const text = seen(formatCount(nodes.length, "node"), input);
      const found = unless([...problems, ...withNode(values)], text);
      if (found.ok || problems.length > 0) return found;
      if (rule === undefined) return lasts ? { ...found, final: true } : found;
      return await context.overridden?.(rule)
        ? holds(`${found.reason} (overridden by ${rule})`)
        : { ...found, final: true };
    },
  };
}

/** Nodes of a check. `input`: its field `group` names a group; default all nodes. */
export function readGroup(
  context: Pick<CheckContext, "group">,
  input: Readonly<Record<string, Json>>,
): Promise<readonly string[]> {
  const { group } = input;
  return typeof group === "string" ? context.group(group) : context.group();
}

/** Control planes among the nodes of a check. Throws `OsctlError` if the role of one is unknown. */
export async function readControlPlanes(
  context: Pick<CheckContext, "group" | "cluster">,
  input: Readonly<Record<string, Json>>,
): Promise<readonly string[]> {
  const nodes = await readGroup(context, input);
  const roles = await Promise.all(nodes.map(context.cluster.readRole));
  const unknown = nodes.filter((_, index) => roles[index] === "unknown");
  if (unknown.length > 0) {
    throw new OsctlError(`The role of ${unknown.join(", ")} is unknown`, {
      hint: "See: osctl get machinetype --nodes ADDRESS",
    });
  }
  return nodes.filter((_, index) => roles[index] === "controlplane");
}

/** Answers of nodes, and the problems of the others. */
interface NodeAnswers<T> {
  readonly values: ReadonlyMap<string, T>;
  /** One line for each failure: node and reason. */
  readonly problems: readonly string[];
}

/** Calls nodes in parallel. `ask`: calls one; its error becomes a problem of that node. */
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
 * Checks nodes in parallel.
 *
 * @param findProblem Reports the problem of a node; `undefined` for none.
 * @returns One line for each node with a problem or without an answer: node and reason.
 */
export async function findProblems(
  context: Pick<CheckContext, "cluster" | "signal">,
  nodes: readonly string[],
  findProblem: (client: NodeClient) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const { values, problems } = await askAll(context, nodes, findProblem);
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
 * Current members of a cluster, read from a control plane: the cluster view is a snapshot.
 *
 * @throws {OsctlError} If no control plane answers.
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

/** Reports whether a member is the given node. `node`: name or address; anything else never matches. */
export function isNamed(
  { hostname, address }: Pick<Member, "hostname" | "address">,
  node: unknown,
): boolean {
  return node === hostname || node === address;
}

/** Reads version and platform of a node. Source: `MachineService.Version`. */
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

/** Reads one service of a node; `undefined` if the node does not have it. */
export async function readService(
  client: Pick<NodeClient, "machine">,
  id: string,
): Promise<ServiceInfo | undefined> {
  return (await readServices(client)).find((service) => service.id === id);
}

/** Reads the diagnostics of a node; `undefined` if the role may not read them, or the node is too old. */
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
 * Reports the problem of a service.
 *
 * @param checked True to require its health check to pass; otherwise unknown health is accepted.
 * @returns `undefined` when it works.
 */
export function serviceProblem(
  id: string,
  service: ServiceInfo | undefined,
  checked: boolean,
): string | undefined {
  if (service === undefined) return `${id} does not exist`;
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

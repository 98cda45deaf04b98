/** Details of failed nodes for error reports: their names, and the role of the caller. */

import { nearest } from "../../lib/text/nearest.ts";
import {
  CancelledError,
  ConnectError,
  NodesError,
  OsctlError,
  OutcomeError,
  RpcError,
} from "../../errors.ts";
import { findRules } from "../../workflows/operations/safety_rules.ts";
import { readRoles } from "../../pki/roles.ts";
import { withDeadline } from "../../transport/call/deadline.ts";
import { failedNode } from "../../transport/connect/status.ts";
import {
  namesHint,
  readableStatus,
} from "../../transport/connect/status_text.ts";
import { addressFamily } from "../../lib/ip.ts";
import {
  knownMembers,
  type Member,
  memberNamed,
} from "../../transport/node/members.ts";
import { chosenContext } from "../_session/osconfig.ts";
import { clientIdentity } from "../../config/osconfig/client_identity.ts";
import { selectNodes } from "../../transport/node/select_nodes.ts";
import type { Context } from "./command.ts";
import type { FailureContext } from "./failure.ts";
import { isNodeWord, nodeWords } from "./node_words.ts";
import type { AnyInputs } from "./parse.ts";

const onlyReads =
  "A node without a configuration can only be read and wiped; configure it first with: osctl apply-config --insecure";

/** Timeout for reading the cluster members, in milliseconds. */
const membersMs = 2_000;

/**
 * Collects details about a failure.
 *
 * @param error Any error; only failed calls are examined.
 * @param context Nodes and client configuration; errors in them are ignored.
 * @param inputs Declared inputs, which say what names on nodes were typed.
 */
export async function failureContext(
  error: unknown,
  context: Pick<
    Context<unknown>,
    "input" | "nodes" | "globals" | "environment"
  >,
  inputs: AnyInputs = {},
): Promise<FailureContext> {
  const { insecure } = Object(context.input) as { insecure?: boolean };
  const causes = collectCauses(error);
  const denied = causes.some((cause) =>
    (cause instanceof RpcError || cause instanceof OutcomeError) &&
    cause.code === "PERMISSION_DENIED"
  );
  const role = !denied ? [] : insecure ? [onlyReads] : await heldRole(context);
  const tries = causes.flatMap((cause) =>
    cause instanceof RpcError && cause.raw !== undefined
      ? readableStatus(cause.raw).hint ?? []
      : []
  );
  const failed = error instanceof NodesError
    ? [...error.failures.keys()]
    : [failedNode(error) ?? []].flat();
  const isAnswered = causes.every((cause) =>
    !(cause instanceof ConnectError || cause instanceof CancelledError)
  );
  const meant = isAnswered
    ? await meantWords(listTyped(inputs, context.input), failed[0], context)
    : [];
  const known = [...role, ...meant, ...new Set(tries), ...rulesIn(causes)];
  if (failed.length === 0) return { names: new Map(), hints: known };
  // If no endpoint answers, no node can be queried; one without a configuration
  // knows no members.
  const isReached = !insecure &&
    causes.some((cause) => !(cause instanceof ConnectError));
  const members = isReached ? await readMembers(context) : [];
  const others = meantNodes(failed, members);
  return {
    names: calledNodes(failed, members),
    // Nodes that are named here need not be looked up.
    hints: others.length === 0
      ? known
      : [...others, ...known.filter((hint) => hint !== namesHint)],
  };
}

/**
 * Display names of nodes by selected name: `worker-2 (10.0.0.6)`.
 *
 * @param nodes Names or addresses; nodes unknown to the cluster have no entry.
 */
export async function nodeNames(
  nodes: readonly string[],
  context: Pick<Context<unknown>, "nodes">,
): Promise<ReadonlyMap<string, string>> {
  return calledNodes(nodes, await readMembers(context));
}

function calledNodes(
  nodes: readonly string[],
  members: readonly Member[],
): ReadonlyMap<string, string> {
  return new Map(nodes.flatMap((node): [string, string][] => {
    const member = memberNamed(members, node);
    if (member === undefined || member.address === member.hostname) return [];
    return [[node, `${member.hostname} (${member.address})`]];
  }));
}

function collectCauses(error: unknown): readonly unknown[] {
  const all = error instanceof NodesError
    ? [...error.failures.values()]
    : [error];
  return all.flatMap((one) => unwrapCauses(one));
}

function unwrapCauses(error: unknown): readonly unknown[] {
  const isWrapping = error instanceof OsctlError && error.cause !== undefined;
  return isWrapping ? [error, ...unwrapCauses(error.cause)] : [error];
}

/** Explains the safety rules named in refusals. */
function rulesIn(causes: readonly unknown[]): readonly string[] {
  const texts = causes.map((cause) =>
    cause instanceof OsctlError ? cause.message : ""
  ).join("\n");
  return findRules(texts).map(({ code, summary }) =>
    `${code}: ${summary}; more with: osctl explain ${code}`
  );
}

async function readMembers(
  { nodes }: Pick<Context<unknown>, "nodes">,
): Promise<readonly Member[]> {
  const { signal, clear } = withDeadline({ deadlineMs: membersMs });
  try {
    const late = new Promise<readonly Member[]>((resolve) =>
      signal.addEventListener("abort", () => resolve([]))
    );
    const found = nodes.endpoint().then((client) =>
      knownMembers(client, membersMs)
    );
    return await Promise.race([found.catch(() => []), late]);
  } finally {
    clear();
  }
}

interface TypedWord {
  readonly word: string;
  readonly kind: keyof typeof nodeWords;
}

/** Typed names of services, logs and containers. */
function listTyped(
  inputs: AnyInputs,
  values: unknown,
): readonly TypedWord[] {
  return Object.entries(inputs).flatMap(([key, { complete = "" }]) => {
    if (!isNodeWord(complete)) return [];
    return [Reflect.get(Object(values), key) ?? []].flat()
      .map((word) => ({ word: String(word), kind: complete }));
  });
}

/** Suggests names on a node for those that it does not have. `node`: one that failed; default the first. */
async function meantWords(
  typed: readonly TypedWord[],
  node: string | undefined,
  { nodes, input }: Pick<Context<unknown>, "nodes" | "input">,
): Promise<readonly string[]> {
  if (typed.length === 0) return [];
  const isKubernetes = Reflect.get(Object(input), "kubernetes") === true;
  try {
    const [first = ""] = node === undefined ? await nodes.names() : [node];
    const hints: string[] = [];
    for (const { word, kind } of typed) {
      const answers = selectNodes(nodes, [first]).call(
        (client) => nodeWords[kind](client, isKubernetes),
        { deadlineMs: membersMs },
      );
      for await (const { value } of answers) {
        const words = value.map((one) => one.word);
        const near = words.includes(word) ? undefined : nearest(word, words);
        if (near !== undefined) hints.push(`Did you mean "${near}"?`);
      }
    }
    return hints;
  } catch (error) {
    // The error of the command is the one to report.
    if (error instanceof OsctlError) return [];
    throw error;
  }
}

/** Suggests nodes for names unknown to the cluster. */
function meantNodes(
  failed: readonly string[],
  members: readonly Member[],
): readonly string[] {
  const names = members.map(({ hostname }) => hostname);
  const unknown = failed.filter((node) =>
    addressFamily(node) === undefined && !memberNamed(members, node)
  );
  const near = unknown.flatMap((node) => nearest(node, names) ?? []);
  const others = unknown.filter((node) => nearest(node, names) === undefined)
    .map((node) => `"${node}"`);
  const isUseful = others.length > 0 && names.length > 0;
  return [
    ...near.map((name) => `Did you mean node "${name}"?`),
    ...isUseful
      ? [
        `No node is named ${others.join(" or ")}; there are ${
          shortList(names)
        }`,
      ]
      : [],
  ];
}

function shortList(names: readonly string[]): string {
  const most = 8;
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and others: osctl get members` : shown;
}

async function heldRole(
  context: Pick<Context<unknown>, "globals" | "environment">,
): Promise<readonly string[]> {
  try {
    const chosen = await chosenContext(context);
    const { pair } = clientIdentity(chosen);
    if (pair === undefined) return [];
    const known = readRoles(pair.crt);
    // `os:admin` is never denied for lack of a role.
    if (known.includes("os:admin")) return [];
    const held = known.length === 0 ? "no role" : known.join(", ");
    return [
      `The certificate of context "${chosen.name}" has ${held}; choose another context with --context`,
    ];
  } catch (error) {
    // A configuration error is not the error to report.
    if (error instanceof OsctlError) return [];
    throw error;
  }
}

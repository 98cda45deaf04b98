/** Turns errors into messages and an exit status. */

import {
  CancelledError,
  ConnectError,
  DifferentError,
  type ExitStatus,
  exitStatus,
  NodesError,
  OsctlError,
  OutcomeError,
  RpcError,
  StoppedError,
  UsageError,
} from "../../errors.ts";
import { fileFailure } from "../../lib/files/file_failure.ts";
import { addressFamily } from "../../lib/ip.ts";
import { failedNode } from "../../transport/connect/status.ts";
import { noteText, setIn } from "../../terminal/terminal_text.ts";
import { wrap } from "../../terminal/table.ts";
import type { Environment } from "../../terminal/environment.ts";
import type { FailureRow } from "../../terminal/render.ts";

interface FailureReport {
  /** Lines for standard error, without line ends. */
  readonly lines: readonly string[];
  readonly status: ExitStatus;
  /** True if the usage of the command helps. */
  readonly usage: boolean;
}

/** Details in addition to an error. */
export interface FailureContext {
  /** Display names of failed nodes: `worker-2 (10.0.0.6)`. */
  readonly names: ReadonlyMap<string, string>;
  /** Suggestions, in addition to the hints of the errors. */
  readonly hints: readonly string[];
}

const noContext: FailureContext = { names: new Map(), hints: [] };

interface ReportOptions {
  /** Node names and suggestions. */
  readonly found?: FailureContext;
  /** True to add the original messages of nodes and libraries. */
  readonly verbose?: boolean;
}

/** Describes an error. */
export function describe(
  error: unknown,
  { found = noContext, verbose = false }: ReportOptions = {},
): FailureReport {
  const described = error instanceof NodesError
    ? describeNodes(error, found)
    : describeOne(fileFailure(error) ?? error, found);
  return verbose
    ? { ...described, lines: [...described.lines, ...rawLines(error)] }
    : described;
}

function describeOne(error: unknown, found: FailureContext): FailureReport {
  if (
    error instanceof CancelledError || error instanceof DifferentError ||
    error instanceof StoppedError
  ) {
    return { lines: [], status: error.status, usage: false };
  }
  if (error instanceof OsctlError) {
    const node = failedNode(error);
    const at = node === undefined ? "" : `${found.names.get(node) ?? node}: `;
    return {
      lines: [`error: ${at}${formatCause(error)}`, ...hints([error], found)],
      status: error.status,
      usage: error instanceof UsageError,
    };
  }
  const detail = error instanceof Error
    ? error.stack ?? String(error)
    : String(error);
  return {
    lines: [`error: This is a bug in osctl, please report it: ${detail}`],
    status: exitStatus.failed,
    usage: false,
  };
}

/** Failed nodes as rows of structured output. */
export function failureRows(error: NodesError): FailureRow[] {
  return [...error.failures].map(([node, cause]) => ({
    node,
    error: { code: findCode(cause), message: formatMessage(cause) },
  }));
}

/** Usage of a command. */
export interface Usage {
  readonly line: string;
  readonly name: string;
}

/**
 * Reports an error on standard error.
 *
 * @param usage Usage of the command; omitted if no command was found.
 * @param options Additional details.
 * @returns Exit status.
 */
export async function report(
  environment: Pick<Environment, "stderr">,
  error: unknown,
  usage?: Usage,
  options: ReportOptions = {},
): Promise<ExitStatus> {
  if (error instanceof Deno.errors.BrokenPipe) return exitStatus.ok;
  const described = describe(error, options);
  const lines = described.lines.map((line) => wrapHint(line, environment));
  if (described.usage && usage !== undefined) {
    lines.push(usage.line, `Run "osctl ${usage.name} --help" for its flags`);
  } else if (error instanceof UsageError && usage === undefined) {
    lines.push("Usage: osctl [flags] <command> [arguments] [flags]");
  }
  const text = lines.map((line) => `${line}\n`).join("");
  await environment.stderr.write(new TextEncoder().encode(text)).catch(
    () => {},
  );
  return described.status;
}

/** Wraps a hint for a terminal: neither in the name of a command nor in a command at its end, which can be copied. */
function wrapHint(
  line: string,
  { stderr }: Pick<Environment, "stderr">,
): string {
  const [label = ""] = /^hint: /.exec(line) ?? [];
  const columns = stderr.terminal ? stderr.columns() : undefined;
  if (columns === undefined || label === "" || line.includes("\n")) return line;
  const joined = line.slice(label.length).replace(
    /(?<=: )osctl .*$|\bosctl(?: [a-z][\w-]*){1,3}/g,
    (command) => command.replaceAll(" ", "\0"),
  );
  return `${label}${
    wrap(joined, columns - label.length).join(`\n${" ".repeat(label.length)}`)
  }`.replaceAll("\0", " ");
}

function describeNodes(
  error: NodesError,
  found: FailureContext,
): FailureReport {
  const causes = [...error.failures.values()];
  const bugs = causes.filter((cause) =>
    cause instanceof Error && !(cause instanceof OsctlError) &&
    fileFailure(cause) === undefined
  );
  return {
    lines: [
      ...nodeLines(error, found),
      ...hints(causes, found),
      ...bugs.slice(0, 1).map((bug) => `${(bug as Error).stack}`),
    ],
    status: error.status,
    usage: false,
  };
}

/** A line for each failure, which names all of its nodes. */
function nodeLines(
  { failures }: NodesError,
  { names }: FailureContext,
): readonly string[] {
  const groups = new Map<string, { text: string; nodes: string[] }>();
  for (const [node, cause] of failures) {
    const name = names.get(node) ?? node;
    const text = formatCause(cause);
    const key = withoutAddress(text, name);
    const group = groups.get(key) ?? { text, nodes: [] };
    group.nodes.push(name);
    groups.set(key, group);
  }
  return [...groups].map(([shared, { text, nodes }]) =>
    nodes.length === 1
      ? `error: ${nodes[0]}: ${text}`
      : `error: ${listNodes(nodes)}: ${shared}`
  );
}

/** Replaces the own address of a node, so that the same failure of others has the same text. */
function withoutAddress(text: string, name: string): string {
  const [address] = /[\da-f]*[.:][\d.:a-f]+/.exec(name) ?? [];
  return address === undefined || addressFamily(address) === undefined
    ? text
    : text.replaceAll(address, "NODE");
}

/** Names up to this number of nodes with the same failure; others are counted. */
const mostNames = 8;

function listNodes(nodes: readonly string[]): string {
  if (nodes.length <= 3) return nodes.join(", ");
  // Without addresses, which a name has behind it.
  const named = nodes.slice(0, mostNames)
    .map((name) => name.replace(/ \(.*\)$/, "")).join(", ");
  const more = nodes.length - mostNames;
  return `${nodes.length} nodes (${named}${
    more > 0 ? ` and ${more} more` : ""
  })`;
}

function hints(causes: readonly unknown[], found: FailureContext): string[] {
  const own = causes.flatMap((error) => {
    const cause = fileFailure(error) ?? error;
    return cause instanceof OsctlError && cause.hint !== undefined
      ? [cause.hint, ...cause.alternatives]
      : [];
  });
  return [...new Set([...own, ...found.hints])]
    .map((hint) => `hint: ${setIn(hint)}`);
}

function rawLines(error: unknown): string[] {
  const failures = error instanceof NodesError
    ? [...error.failures].map(([node, cause]) => ({ at: `${node}: `, cause }))
    : [{ at: "", cause: error }];
  return failures.flatMap(({ at, cause }) =>
    rawTexts(cause).map((text) => `raw: ${setIn(`${at}${text}`)}`)
  );
}

const deepest = 10;

function rawTexts(error: unknown, depth = 0): readonly string[] {
  if (!(error instanceof Error) || depth > deepest) return [];
  const own = error instanceof RpcError
    ? error.raw === undefined ? [] : [error.raw]
    : error instanceof OsctlError
    ? []
    : [error.message];
  return [...own, ...rawTexts(error.cause, depth + 1)];
}

function findCode(cause: unknown): string {
  if (cause instanceof RpcError) return cause.code;
  if (cause instanceof ConnectError) return cause.reason;
  if (cause instanceof OutcomeError) return cause.outcome;
  return "UNKNOWN";
}

/** Indents node messages and keeps user input as it is; no line of either can look like one of our labels. */
function formatCause(cause: unknown): string {
  const message = formatMessage(cause);
  const isFromNode = cause instanceof RpcError || cause instanceof OutcomeError;
  return isFromNode ? setIn(message) : noteText(message);
}

function formatMessage(error: unknown): string {
  const cause = fileFailure(error) ?? error;
  return cause instanceof Error ? cause.message : String(cause);
}

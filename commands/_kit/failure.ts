/** The one place that turns errors into text and an exit status. */

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
  UsageError,
} from "../../errors.ts";
import { fileFailure } from "../../lib/files/file_failure.ts";
import { failedNode } from "../../transport/connect/status.ts";
import { noted, setIn } from "../../terminal/terminal_text.ts";
import type { Environment } from "../../terminal/environment.ts";
import type { FailureRow } from "../../terminal/render.ts";

interface FailureReport {
  /** Lines for standard error, without their ends. */
  readonly lines: readonly string[];
  /** Status the process ends with. */
  readonly status: ExitStatus;
  /** True when the usage of the command helps. */
  readonly usage: boolean;
}

/** What is known beside an error. */
export interface FailureContext {
  /** Failed node to how it is called: `worker-2 (10.0.0.6)`. */
  readonly names: ReadonlyMap<string, string>;
  /** What to try, beside the hints of the errors. */
  readonly hints: readonly string[];
}

const noContext: FailureContext = { names: new Map(), hints: [] };

interface ReportOptions {
  /** Names of nodes, and what to try. */
  readonly found?: FailureContext;
  /** True for the texts of nodes and libraries as they were, too. */
  readonly verbose?: boolean;
}

/** Describes what went wrong. */
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
  if (error instanceof CancelledError || error instanceof DifferentError) {
    return { lines: [], status: error.status, usage: false };
  }
  if (error instanceof OsctlError) {
    const node = failedNode(error);
    const at = node === undefined ? "" : `${found.names.get(node) ?? node}: `;
    return {
      lines: [`error: ${at}${shown(error)}`, ...hints([error], found)],
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

/** Failed nodes as rows for programs. */
export function failureRows(error: NodesError): FailureRow[] {
  return [...error.failures].map(([node, cause]) => ({
    node,
    error: { code: findCode(cause), message: formatMessage(cause) },
  }));
}

/** How a command is used. */
export interface Usage {
  readonly line: string;
  readonly name: string;
}

/**
 * Writes what went wrong to standard error.
 *
 * @param usage How the command is used; omitted where none was found yet.
 * @param options What is said beside the error.
 * @returns Status to end the process with.
 */
export async function report(
  environment: Pick<Environment, "stderr">,
  error: unknown,
  usage?: Usage,
  options: ReportOptions = {},
): Promise<ExitStatus> {
  if (error instanceof Deno.errors.BrokenPipe) return exitStatus.ok;
  const described = describe(error, options);
  const lines = [...described.lines];
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

/** One line for each node; what no node could be asked for is said once. */
function nodeLines(
  { failures }: NodesError,
  { names }: FailureContext,
): readonly string[] {
  const nodes = new Map<string, string[]>();
  for (const [node, cause] of failures) {
    const name = names.get(node) ?? node;
    // Only connections are shared by nodes; other answers are each node's own.
    const text = shown(cause);
    const key = cause instanceof ConnectError ? text : `${name}: ${text}`;
    nodes.set(key, [...nodes.get(key) ?? [], name]);
  }
  return [...nodes].map(([text, all]) => {
    const [first = ""] = all;
    if (text.startsWith(`${first}: `)) return `error: ${text}`;
    const which = all.length > mostNames
      ? `${all.length} nodes`
      : all.join(", ");
    return `error: ${which}: ${text}`;
  });
}

/** So many nodes with the same failure are named; more are counted. */
const mostNames = 3;

function hints(causes: readonly unknown[], found: FailureContext): string[] {
  const own = causes.flatMap((error) => {
    const cause = fileFailure(error) ?? error;
    return cause instanceof OsctlError && cause.hint !== undefined
      ? [cause.hint]
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

/** What a node said is set in; what was typed stays as it was, and of neither is any line a label of ours. */
function shown(cause: unknown): string {
  const message = formatMessage(cause);
  const isFromNode = cause instanceof RpcError || cause instanceof OutcomeError;
  return isFromNode ? setIn(message) : noted(message);
}

function formatMessage(error: unknown): string {
  const cause = fileFailure(error) ?? error;
  return cause instanceof Error ? cause.message : String(cause);
}

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
import { noted, setIn } from "../../terminal/terminal_text.ts";
import type { Environment } from "../../terminal/environment.ts";
import type { FailureRow } from "../../terminal/render.ts";

/** An error as it is given. */
export interface FailureReport {
  /** Lines for standard error, without their ends. */
  readonly lines: readonly string[];
  /** Status the process ends with. */
  readonly status: ExitStatus;
  /** True when the usage of the command helps. */
  readonly usage: boolean;
}

/** Describes what went wrong. */
export function describe(error: unknown): FailureReport {
  if (error instanceof NodesError) return describeNodes(error);
  if (error instanceof CancelledError || error instanceof DifferentError) {
    return { lines: [], status: error.status, usage: false };
  }
  if (error instanceof OsctlError) {
    return {
      lines: [`error: ${shown(error)}`, ...hints([error])],
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
    error: { code: codeOf(cause), message: messageOf(cause) },
  }));
}

/** How a command is used. */
export interface Usage {
  /** Usage line of its help. */
  readonly line: string;
  /** Its full name. */
  readonly name: string;
}

/**
 * Writes what went wrong to standard error.
 *
 * @param usage How the command is used; omitted where none was found yet.
 * @returns Status to end the process with.
 */
export async function report(
  environment: Pick<Environment, "stderr">,
  error: unknown,
  usage?: Usage,
): Promise<ExitStatus> {
  if (error instanceof Deno.errors.BrokenPipe) return exitStatus.ok;
  const described = describe(error);
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

function describeNodes(error: NodesError): FailureReport {
  const causes = [...error.failures.values()];
  const bugs = causes.filter((cause) =>
    cause instanceof Error && !(cause instanceof OsctlError)
  );
  return {
    lines: [
      ...[...error.failures].map(([node, cause]) =>
        `error: ${node}: ${shown(cause)}`
      ),
      ...hints(causes),
      ...bugs.slice(0, 1).map((bug) => `${(bug as Error).stack}`),
    ],
    status: error.status,
    usage: false,
  };
}

/** Each different hint once. */
function hints(causes: readonly unknown[]): string[] {
  const found = causes.flatMap((cause) =>
    cause instanceof OsctlError && cause.hint !== undefined ? [cause.hint] : []
  );
  return [...new Set(found)].map((hint) => `hint: ${setIn(hint)}`);
}

function codeOf(cause: unknown): string {
  if (cause instanceof RpcError) return cause.code;
  if (cause instanceof ConnectError) return cause.reason;
  if (cause instanceof OutcomeError) return cause.outcome;
  return "UNKNOWN";
}

/** What a node said is set in; what was typed stays as it was, and of neither is any line a label of ours. */
function shown(cause: unknown): string {
  const message = messageOf(cause);
  const isFromNode = cause instanceof RpcError || cause instanceof OutcomeError;
  return isFromNode ? setIn(message) : noted(message);
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

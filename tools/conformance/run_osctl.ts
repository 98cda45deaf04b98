/** Runs osctl in this process, for test tools. */

import { entries } from "../../commands/_index.ts";
import { complete } from "../../commands/_kit/completion.ts";
import { lazyNodes, main } from "../../commands/_kit/main.ts";
import { openSession } from "../../commands/_kit/session.ts";
import { describe } from "../../commands/_kit/failure.ts";
import {
  CancelledError,
  type ExitStatus,
  exitStatus,
  UsageError,
} from "../../errors.ts";
import { realEnvironment } from "../../terminal/environment.ts";

/** Output and status of a command line. */
export interface Answer {
  readonly out: string;
  readonly err: string;
  readonly status: number;
}

/** Runs a command line without `osctl`. */
export type RunOsctl = (...words: readonly string[]) => Promise<Answer>;

/** Timeout for the first output of a stream, in milliseconds. */
const quietMs = 20_000;

/** Reports whether a command line runs forever. `words`: without `osctl`. */
export function isStream(words: readonly string[]): boolean {
  return words[0] === "events" ||
    words.some((word) => word === "--follow" || word === "--watch");
}

/** Runs osctl in this process; interrupts streams after their first output. */
export function osctlWith(osconfig: string | undefined): RunOsctl {
  return async (...words) => {
    const printed = { out: "", err: "" };
    const stop = new AbortController();
    const interrupt = () => stop.abort(new CancelledError());
    const ends = isStream(words);
    const timer = ends ? setTimeout(interrupt, quietMs) : undefined;
    const sink = (name: keyof typeof printed) => {
      const decoder = new TextDecoder();
      return {
        terminal: false,
        columns: () => undefined,
        write(bytes: Uint8Array) {
          printed[name] += decoder.decode(bytes, { stream: true });
          if (ends && name === "out") interrupt();
          return Promise.resolve();
        },
      };
    };
    const configured = osconfig === undefined ? [] : ["--osconfig", osconfig];
    const status = await main([...words, ...configured], {
      entries,
      environment: {
        ...realEnvironment(),
        stdout: sink("out"),
        stderr: sink("err"),
      },
      open: (request) => lazyNodes(() => openSession(request)),
      readFile: (path) => Deno.readTextFile(path),
      complete,
      signal: stop.signal,
    });
    clearTimeout(timer);
    return { ...printed, status };
  };
}

/**
 * Formats the failure of a tool, as osctl does.
 *
 * @param usage Usage of the tool.
 * @returns Lines for stderr, and the exit status.
 */
export function toolFailure(
  error: unknown,
  usage: string,
): { readonly text: string; readonly status: ExitStatus } {
  const code = error instanceof TypeError && "code" in error ? error.code : "";
  const isArgument = String(code).startsWith("ERR_PARSE_ARGS_");
  const { lines, status } = describe(
    isArgument && error instanceof Error
      // The remainder explains how to escape arguments.
      ? new UsageError(error.message.replace(/\. .*$/s, ""))
      : error,
  );
  const all = status === exitStatus.usage
    ? [...lines, `Usage: ${usage}`]
    : lines;
  return { text: all.map((line) => `${line}\n`).join(""), status };
}

/** Runs a tool, and exits the process; with status 1 if there were problems. */
export async function runTool(
  usage: string,
  work: () => Promise<{ readonly hasProblems: boolean }>,
): Promise<never> {
  try {
    const { hasProblems } = await work();
    Deno.exit(hasProblems ? exitStatus.failed : exitStatus.ok);
  } catch (error) {
    const { text, status } = toolFailure(error, usage);
    await Deno.stderr.write(new TextEncoder().encode(text));
    Deno.exit(status);
  }
}

/** Runs tools, with errors like those of osctl. */

import { describe } from "../commands/_kit/failure.ts";
import { type ExitStatus, exitStatus, UsageError } from "../errors.ts";

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

/**
 * Runs another program.
 *
 * @returns Its standard output.
 * @throws {Error} With its standard error, if it fails.
 */
export async function runCommand(
  [command = "", ...args]: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args,
    env,
  }).output();
  const decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  throw new Error(`Cannot run ${command}: ${decoder.decode(stderr)}`);
}

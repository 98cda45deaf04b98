/** Programs of the user that know nodes or secrets. */

import { OsctlError } from "../../errors.ts";
import type { SiteEnvironment } from "./site_environment.ts";

/**
 * Runs a provider of nodes or secrets: `PROGRAM nodes CLUSTER`.
 *
 * @returns Its standard output.
 * @throws {OsctlError} If it does not end with status 0.
 */
export async function runProvider(
  program: string,
  args: readonly string[],
  { runProgram, signal }: SiteEnvironment,
  input: string | null = null,
): Promise<string> {
  const call = { program, args, input, env: {}, inheritAll: true } as const;
  const { status, stdout, stderr } = await runProgram(call, signal);
  if (status === 0) return stdout;
  const line = stderr.trim().split("\n").at(-1) ?? "";
  throw new OsctlError(
    `"${program} ${args.join(" ")}" failed with status ${status}${
      line === "" ? "" : `: ${line}`
    }`,
  );
}

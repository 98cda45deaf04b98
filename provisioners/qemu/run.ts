/** Runs programs of this machine. */

import { OsctlError } from "../../errors.ts";

/**
 * Runs a program, and waits until it has ended.
 *
 * @param line Program and arguments.
 * @param input What it reads.
 * @returns Its output.
 * @throws {OsctlError} If it is not installed, or fails; with what it said.
 */
export async function run(
  line: readonly string[],
  input?: string,
): Promise<string> {
  const [program = "", ...args] = line;
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, {
      args,
      stdin: input === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (error) {
    throw new OsctlError(`Cannot run "${program}": it is not installed`, {
      cause: error,
    });
  }
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    // A program that fails at once reads nothing; its status says more.
    await writer.write(new TextEncoder().encode(input)).catch(() => {});
    await writer.close().catch(() => {});
  }
  const { success, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
  if (success) return text(stdout);
  const said = text(stderr).split("\n")[0] || text(stdout).split("\n")[0];
  throw new OsctlError(`Command failed: ${line.join(" ")}: ${said}`);
}

/** Runs a program whose failure does not matter. Returns true when it succeeded. */
export async function tryRun(line: readonly string[]): Promise<boolean> {
  try {
    await run(line);
    return true;
  } catch (error) {
    if (error instanceof OsctlError) return false;
    throw error;
  }
}

/** Reports whether a program is installed. */
export function isInstalled(program: string): Promise<boolean> {
  return tryRun(["sh", "-c", 'command -v "$0"', program]);
}

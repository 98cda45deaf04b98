import { OsctlError } from "../../errors.ts";

interface RunOptions {
  readonly input?: string | undefined;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a program, and waits for its exit.
 *
 * @param line Program and arguments.
 * @returns Its output.
 * @throws {OsctlError} If it is not installed, or fails; with its output.
 */
export async function run(
  line: readonly string[],
  { input, env, signal }: RunOptions = {},
): Promise<string> {
  signal?.throwIfAborted();
  const [program = "", ...args] = line;
  const child = startProgram(program, {
    args,
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    env: { ...programPath(), ...env },
    signal,
  });
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    // A program that exits early does not read its input; the exit status is reported instead.
    await writer.write(new TextEncoder().encode(input)).catch(() => {});
    await writer.close().catch(() => {});
  }
  const { success, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
  if (success) return text(stdout);
  signal?.throwIfAborted();
  const said = text(stderr).split("\n")[0] || text(stdout).split("\n")[0];
  throw new OsctlError(`Command failed: ${line.join(" ")}: ${said}`);
}

/** Starts a program. Throws `OsctlError` if it is not installed. */
export function startProgram(
  program: string,
  options: Deno.CommandOptions,
): Deno.ChildProcess {
  try {
    return new Deno.Command(program, options).spawn();
  } catch (error) {
    throw new OsctlError(`Cannot run "${program}": it is not installed`, {
      cause: error,
    });
  }
}

/** Runs a program, ignoring failures. Returns true if it succeeded. */
export async function tryRun(line: readonly string[]): Promise<boolean> {
  try {
    await run(line);
    return true;
  } catch (error) {
    if (error instanceof OsctlError) return false;
    throw error;
  }
}

/** Folders of admin programs, which are not in the `PATH` of regular users on some distributions. */
const administrative = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** Returns `PATH` with {@linkcode administrative} folders last. */
export function programPath(): Readonly<Record<"PATH", string>> {
  const folders = (Deno.env.get("PATH") ?? "").split(":")
    .filter((folder) => folder !== "");
  return { PATH: [...new Set([...folders, ...administrative])].join(":") };
}

/** True if a program is installed. */
export function isInstalled(program: string): Promise<boolean> {
  return tryRun(["sh", "-c", 'command -v "$0"', program]);
}

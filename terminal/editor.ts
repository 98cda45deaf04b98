import { legacyEnvironment } from "../talos.ts";
import { CancelledError, exitStatus, OsctlError } from "../errors.ts";
import type { Environment } from "./environment.ts";

/** An editor. */
export interface Editor {
  /** Program and arguments as configured. */
  readonly command: string;
  /** True if it is known to wait for keys. */
  readonly needsTerminal: boolean;
  /**
   * Opens a file in the editor, which is terminated with this process.
   *
   * @throws {OsctlError} If the editor does not start or fails.
   */
  readonly edit: (path: string, signal: AbortSignal) => Promise<void>;
}

/** Editors that wait for keys. */
const interactive =
  /^(?:vi|vim|nvim|view|nano|pico|micro|hx|helix|joe|mcedit)$/;

/**
 * Finds the editor: `$OS_EDITOR`, `$EDITOR`, `$VISUAL`, else `vi` or `notepad`.
 *
 * The value may contain arguments, quoted as in a shell.
 */
export function chooseEditor(
  { env, os }: Pick<Environment, "env" | "os">,
): Editor {
  const command = env("OS_EDITOR") || env(legacyEnvironment.OS_EDITOR) ||
    env("EDITOR") || env("VISUAL") || (os === "windows" ? "notepad" : "vi");
  const [program = ""] = command.trim().split(/\s+/);
  return {
    command,
    needsTerminal: interactive.test(program.replace(/^.*\//, "")),
    async edit(path, signal) {
      const code = await runEditor(command, path, { os, signal });
      if (code === 0) return;
      throw new OsctlError(
        `The editor "${command}" exited with status ${code}`,
        {
          hint: "Set EDITOR to the editor to use",
        },
      );
    },
  };
}

/** A program with arguments, without other syntax of a shell. */
const isOneCommand = /^[\w./"' -]+$/;

function endChild(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGTERM");
  } catch (error) {
    // A closed terminal has ended the editor as well.
    if (!(error instanceof TypeError)) throw error;
  }
}

function isTermination(reason: unknown): boolean {
  return reason instanceof CancelledError &&
    reason.status === exitStatus.terminated;
}

async function runEditor(
  command: string,
  path: string,
  { os, signal }: { readonly os: string; readonly signal: AbortSignal },
): Promise<number> {
  // Signals reach the editor instead of a shell around it.
  const exec = isOneCommand.test(command) ? "exec " : "";
  const [program = "", ...args] = os === "windows"
    ? [...command.split(" ").filter((word) => word !== ""), path]
    : ["sh", "-c", `${exec}${command} "$1"`, "sh", path];
  const editor = new Deno.Command(program, {
    args,
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  });
  try {
    const child = editor.spawn();
    // Ctrl-C is for the editor, which gets it from the terminal.
    const terminate = () => isTermination(signal.reason) && endChild(child);
    signal.addEventListener("abort", terminate);
    try {
      return (await child.status).code;
    } finally {
      signal.removeEventListener("abort", terminate);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new OsctlError(`Cannot find the editor "${program}"`, {
      hint: "Set EDITOR to the editor to use",
      cause: error,
    });
  }
}

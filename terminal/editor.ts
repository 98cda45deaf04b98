import { legacyEnvironment } from "../talos.ts";
import { OsctlError } from "../errors.ts";
import type { Environment } from "./environment.ts";

/** An editor. */
export interface Editor {
  /** Program and arguments as configured. */
  readonly command: string;
  /** Opens a file in the editor. Throws `OsctlError` if the editor does not start or fails. */
  readonly edit: (path: string) => Promise<void>;
}

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
  return {
    command,
    async edit(path) {
      const code = await runEditor(command, path, os);
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

async function runEditor(
  command: string,
  path: string,
  os: string,
): Promise<number> {
  const [program = "", ...args] = os === "windows"
    ? [...command.split(" ").filter((word) => word !== ""), path]
    : ["sh", "-c", `${command} "$1"`, "sh", path];
  const child = new Deno.Command(program, {
    args,
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  });
  try {
    return (await child.spawn().status).code;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new OsctlError(`Cannot find the editor "${program}"`, {
      hint: "Set EDITOR to the editor to use",
      cause: error,
    });
  }
}

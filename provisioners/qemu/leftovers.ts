/** Cleanup of processes left by a cluster of virtual machines, also after a crash. */

import { locateFiles } from "./arguments.ts";
import type { Machine } from "./machine.ts";

/** Kills the running processes of a machine, and waits for their exit. */
export async function killMachine(machine: Machine): Promise<void> {
  const { pid } = locateFiles(machine);
  await killByFile(pid, (line) => line.includes(machine.folder));
  await killTpm(machine);
}

/** Kills the TPM of a machine, if it runs, and waits for its exit. */
export async function killTpm(machine: Machine): Promise<void> {
  const path = `${locateFiles(machine).tpm}/swtpm.pid`;
  await killByFile(path, (line) => line.includes(machine.folder));
}

/**
 * Kills the process of a pid file, and removes the file.
 *
 * @param isOurs Checks the command line of the process, since pids are reused.
 */
export async function killByFile(
  path: string,
  isOurs: (commandLine: string) => boolean,
): Promise<void> {
  for (let left = 500; left > 0; left--) {
    const pid = await runningProcess(path, isOurs);
    if (pid === undefined) break;
    kill(pid, left > 250 ? "SIGTERM" : "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await Deno.remove(path).catch(() => {});
}

/**
 * Finds the process of a pid file.
 *
 * @param isOurs As for {@linkcode killByFile}.
 * @returns Its pid; `undefined` if it does not run.
 */
export async function runningProcess(
  path: string,
  isOurs: (commandLine: string) => boolean,
): Promise<number | undefined> {
  const text = await Deno.readTextFile(path).catch(() => undefined);
  if (text === undefined) return undefined;
  const pid = Number(text.trim());
  return isOurs(await readCommandLine(pid)) ? pid : undefined;
}

async function readCommandLine(pid: number): Promise<string> {
  if (!Number.isInteger(pid) || pid < 2) return "";
  if (Deno.build.os === "linux") {
    const line = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() =>
      ""
    );
    return line.replaceAll("\0", " ");
  }
  const { stdout } = await new Deno.Command("ps", {
    args: ["-o", "command=", "-p", `${pid}`],
  }).output();
  return new TextDecoder().decode(stdout);
}

function kill(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch (error) {
    // It has ended by itself.
    if (
      !(error instanceof Deno.errors.NotFound || error instanceof TypeError)
    ) {
      throw error;
    }
  }
}

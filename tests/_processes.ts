/** Processes of this machine, as Linux shows them. */

import { pause } from "../lib/pause.ts";
import { findProcess } from "../provisioners/background.ts";

/** True where processes can be seen. */
export const visible = Deno.build.os === "linux";

/**
 * Finds the processes whose command line names a path.
 *
 * @param path Path that no other process names.
 * @returns Their ids.
 */
export async function listProcesses(path: string): Promise<number[]> {
  const found: number[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // One that has ended meanwhile has no file, one that waits for its parent an empty one.
    const line = await Deno.readTextFile(`/proc/${name}/cmdline`)
      .catch(() => "");
    if (line.includes(path)) found.push(Number(name));
  }
  return found;
}

/**
 * Waits until no process names a path; a process that ends gives up its locks a moment before it is gone.
 *
 * @param path Path that no other process names.
 * @throws {Error} If there still is one after 10 s.
 */
export async function untilNone(path: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const left = await listProcesses(path);
    if (left.length === 0) return;
    if (performance.now() > deadline) throw new Error(`Still there: ${left}`);
    await pause(20);
  }
}

/**
 * Kills the process of a cluster, and waits until it has let go of everything: its lock goes a moment after its
 * connections.
 *
 * @param folder Folder of the cluster.
 * @throws {Error} If none runs.
 */
export async function killServer(folder: string): Promise<void> {
  const pid = await findProcess(folder);
  if (pid === undefined) throw new Error(`Nothing runs in ${folder}`);
  Deno.kill(pid, "SIGKILL");
  while (await findProcess(folder) !== undefined) await pause(10);
}

/** Processes of this machine, as Linux shows them. */

/** True where processes can be seen. */
export const visible = Deno.build.os === "linux";

/**
 * Finds the processes whose command line names a path.
 *
 * @param path Path that no other process names.
 * @returns Their ids.
 */
export async function processesOf(path: string): Promise<number[]> {
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
 * Waits until no process names a path.
 *
 * @param path Path that no other process names.
 */
export async function untilNone(path: string): Promise<void> {
  while ((await processesOf(path)).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

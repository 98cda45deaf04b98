/** Servers that a process which was killed may have left behind. */

/**
 * Ends every etcd that was started with a folder, and waits until it has ended.
 *
 * @param folder Folder of all servers of a cluster; nothing happens when there is none.
 */
export async function endLeftovers(folder: string): Promise<void> {
  for (const { name } of await entries(folder)) {
    await endLeftover(`${folder}/${name}`);
  }
}

/**
 * Ends the etcd of one folder, if it runs, and waits until it has ended.
 *
 * @param folder Folder of the server.
 */
export async function endLeftover(folder: string): Promise<void> {
  const pid = await pidIn(folder);
  if (pid === undefined) return;
  while ((await commandOf(pid)).includes(folder)) {
    kill(pid);
    // Its parent is gone, so there is nobody to tell when it has ended.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Deno.remove(`${folder}/pid`).catch(() => {});
}

async function pidIn(folder: string): Promise<number | undefined> {
  try {
    return Number(await Deno.readTextFile(`${folder}/pid`)) || undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Command line of a process; empty when there is none. */
async function commandOf(pid: number): Promise<string> {
  if (Deno.build.os === "linux") {
    return await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
  }
  const args = ["-ww", "-o", "args=", "-p", String(pid)];
  const { stdout } = await new Deno.Command("ps", { args }).output();
  return new TextDecoder().decode(stdout);
}

function kill(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function entries(folder: string): Promise<readonly Deno.DirEntry[]> {
  try {
    return await Array.fromAsync(Deno.readDir(folder));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Another process that holds a run or a cluster until it ends. */

import { lockCluster } from "../../../workflows/runbooks/lock/local_lock.ts";
import { openRun } from "../../../workflows/runbooks/store/run_folder.ts";

/** A process that holds something. */
export interface OtherProcess {
  /** Ends it as a crash does, and waits until it is gone. */
  readonly kill: () => Promise<void>;
}

/**
 * Starts a process that holds something, and waits until it does.
 *
 * @param what `run` holds a run, `cluster` the lock of a cluster.
 * @param folder Folder of all runs, or of all locks.
 * @param id Id of the run or cluster.
 */
export async function holdElsewhere(
  what: "run" | "cluster",
  folder: string,
  id: string,
): Promise<OtherProcess> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", import.meta.filename ?? "", what, folder, id],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const said = new Response(child.stderr).text();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  if (value === undefined) {
    await child.status;
    throw new Error(`Cannot hold ${what} "${id}": ${await said}`);
  }
  return {
    async kill() {
      child.kill("SIGKILL");
      await Promise.all([child.status, reader.cancel(), said]);
    },
  };
}

if (import.meta.main) {
  const [what, folder = "", id = ""] = Deno.args;
  using _held = what === "run"
    ? await openRun(folder, id, () => new Date(0))
    : await lockCluster(folder, id);
  await Deno.stdout.write(new TextEncoder().encode("held\n"));
  // It is killed, sooner or later.
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

/** Another process that holds a run or a cluster until it ends. */

import { newProcess } from "../../../workflows/runbooks/lock/holder.ts";
import { lockCluster } from "../../../workflows/runbooks/lock/local_lock.ts";
import { openRun } from "../../../workflows/runbooks/store/run_folder.ts";

/** A process that holds something. */
export interface OtherProcess {
  /** Its name, as locks on clusters have it. */
  readonly process: string;
  /** Ends it as a crash does, and waits until it is gone. */
  readonly kill: () => Promise<void>;
}

/**
 * Starts a process that holds something, and waits until it does.
 *
 * @param what `run` holds a run, `cluster` the lock of a cluster; default nothing.
 * @param folder Folder of all runs, or of all locks.
 * @param id Id of the run or cluster.
 */
export async function holdElsewhere(
  what: "run" | "cluster" | "nothing" = "nothing",
  folder = "",
  id = "",
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
    process: new TextDecoder().decode(value).trimEnd(),
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
    : what === "cluster"
    ? await lockCluster(folder, id)
    : undefined;
  await Deno.stdout.write(new TextEncoder().encode(`${newProcess()}\n`));
  // It is killed, sooner or later.
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

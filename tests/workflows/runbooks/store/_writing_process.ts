/** A process that writes a journal as fast as it can, and tells what is on the disk. */

import { openRun } from "../../../../workflows/runbooks/store/run_folder.ts";

if (import.meta.main) {
  const [runs = "", id = ""] = Deno.args;
  using run = await openRun(runs, id, () => new Date());
  const encoder = new TextEncoder();
  const long = "x".repeat(20_000);
  // Several nodes write at the same time, until somebody kills it.
  const write = async (n: string) => {
    for (let e = 1;; e++) {
      const { seq } = await run.journal.append({
        type: "result",
        path: "workers/restart",
        node: n,
        entry: e,
        data: { state: "ok", outputs: { long } },
      });
      Deno.stdout.writeSync(encoder.encode(`${seq}\n`));
    }
  };
  await Promise.all(["w-1", "w-2", "w-3", "w-4"].map(write));
}

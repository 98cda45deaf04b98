import assert from "node:assert/strict";
import {
  openRun,
  readRecords,
} from "../../../../workflows/runbooks/store/run_folder.ts";
import { withFolder } from "../../../_folder.ts";
import { ticking } from "../journal/_journals.ts";
import { makeRun } from "./_runs.ts";

const id = "20261120-7k2f";
const program = new URL("_writing_process.ts", import.meta.url).pathname;

/** Lets a process write until it has told of some records, and kills it; gives the last one it told of. */
async function writeAndDie(runs: string, some: number): Promise<number> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, runs, id],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (text.split("\n").length <= some) {
    const { value, done } = await reader.read();
    assert.equal(done, false, "it has ended by itself");
    text += value;
  }
  child.kill("SIGKILL");
  await child.status;
  await reader.cancel();
  // The last line may be truncated.
  return Math.max(...text.split("\n").slice(0, -1).map(Number));
}

Deno.test("journal: acknowledged records survive kill -9, again and again", () =>
  withFolder({}, async (runs) => {
    const folder = await makeRun(runs, { id });
    for (const some of [5, 20, 60]) {
      const promised = await writeAndDie(runs, some);
      const { seq } = await readRecords(folder, () => {});
      assert.ok(promised >= some, `${promised} of ${some} were told`);
      assert.ok(seq >= promised, `${promised} were promised, ${seq} are there`);
      using run = await openRun(runs, id, ticking());
      assert.equal((await run.journal.append({ type: "ack" })).seq, seq + 1);
    }
  }));

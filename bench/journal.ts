/** Speed and memory of resuming a run with a long journal. */

import type { Measurement } from "../tools/bench.ts";
import { measureUsage, median } from "./_bench.ts";
import { writeJournalFile } from "./_journal_file.ts";

const records = 1_000_000;

/**
 * Measures reading a journal of 1,000,000 records in a process of its own, its start included.
 *
 * @returns Wall time, and largest resident memory.
 */
export async function run(): Promise<readonly Measurement[]> {
  const folder = await Deno.makeTempDir();
  try {
    await writeJournalFile(`${folder}/journal.jsonl`, records);
    const program = new URL("_read_journal.ts", import.meta.url).pathname;
    const args = ["run", "-A", program, folder];
    const resume = () => measureUsage(Deno.execPath(), args, {});
    await resume(); // compiles
    const { ms, megabytes } = await median(3, resume);
    return [
      {
        name: "resume from a journal of 1 million records",
        value: ms / 1_000,
        unit: "s",
        budget: 5,
      },
      {
        name: "resume from a journal of 1 million records: memory",
        value: megabytes,
        unit: "MB",
        budget: 500,
      },
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The last words of a node, for when an operation did not end as it should. */

import { OsctlError } from "../../errors.ts";
import { byLines } from "../../transport/stream/by_line.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { ContainerDriver } from "../../transport/gen/common.ts";
import { payload } from "../../transport/call/payload.ts";

/** How much is read, and for how long. */
export interface EvidenceOptions {
  /** Lines of each log, default 20. */
  readonly lines?: number;
  /** Longest time for all of it, in milliseconds; default 5 s. */
  readonly timeMs?: number;
}

/**
 * Reads the ends of the kernel log and of the log of the node's init program.
 *
 * @returns Lines for people, each with the log it is from; one line that says so when there are none.
 */
export async function lastWords(
  { machine }: Pick<NodeClient, "machine">,
  { lines = 20, timeMs: deadlineMs = 5_000 }: EvidenceOptions = {},
): Promise<readonly string[]> {
  const tailLines = lines;
  const logs = await Promise.all([
    ending("kernel", lines, () => machine.dmesg({}, { deadlineMs })),
    ending("machined", lines, () =>
      machine.logs({
        namespace: "system",
        driver: ContainerDriver.CONTAINERD,
        id: "machined",
        tailLines,
      }, { deadlineMs })),
  ]);
  return logs.flat();
}

async function ending(
  log: string,
  count: number,
  open: () => Parameters<typeof payload>[0],
): Promise<readonly string[]> {
  let last: readonly string[] = [];
  try {
    for await (const lines of byLines(payload(open()))) {
      last = [...last, ...lines].slice(-count);
    }
  } catch (error) {
    // A log that breaks off is evidence as well.
    if (!(error instanceof OsctlError)) throw error;
    return [...last, `cannot be read: ${error.message}`]
      .map((line) => `${log}: ${line}`);
  }
  return last.map((line) => `${log}: ${line}`);
}

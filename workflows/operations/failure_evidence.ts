/** Evidence on standard error, when an operation did not end as it should. */

import { OsctlError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { payload } from "../../transport/call/payload.ts";
import { containerRuntime } from "../../transport/node/containers.ts";
import { byLines } from "../../transport/stream/by_line.ts";
import type { Outcome } from "./operation.ts";
import type { OperationEvent } from "./run.ts";

/** Ends at which the node's own words may say why; the others are explained by themselves. */
const telling: ReadonlySet<Outcome> = new Set([
  "rolled-back",
  "never-returned",
  "never-rebooted",
  "timed-out",
  "in-doubt",
]);

/**
 * Passes on what happens, and shows the node's last words before a bad end.
 *
 * @param events What happens on a node.
 * @param client Client of the node.
 * @param note Shows a line.
 */
export async function* withEvidence(
  events: AsyncIterable<OperationEvent>,
  client: Pick<NodeClient, "machine">,
  note: (text: string) => void,
): AsyncGenerator<OperationEvent> {
  for await (const event of events) {
    const { node } = event;
    const isTelling = "verdict" in event && !event.untouched &&
      telling.has(event.verdict.outcome);
    if (isTelling) {
      for (const line of await logTails(client)) note(`${node}: ${line}`);
    }
    yield event;
  }
}

interface LogTailOptions {
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
export async function logTails(
  { machine }: Pick<NodeClient, "machine">,
  { lines = 20, timeMs: deadlineMs = 5_000 }: LogTailOptions = {},
): Promise<readonly string[]> {
  const tailLines = lines;
  const logs = await Promise.all([
    ending("kernel", lines, () => machine.dmesg({}, { deadlineMs })),
    ending("machined", lines, () =>
      machine.logs({
        ...containerRuntime(false),
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

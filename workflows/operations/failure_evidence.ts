/** Shows evidence on stderr when an operation failed. */

import { OsctlError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { payload } from "../../transport/call/payload.ts";
import { containerRuntime } from "../../transport/node/containers.ts";
import { byLines } from "../../transport/stream/by_line.ts";
import type { Outcome } from "./operation.ts";
import type { OperationEvent } from "./run.ts";

/** Outcomes for which the node's logs may have the reason. */
const telling: ReadonlySet<Outcome> = new Set([
  "rolled-back",
  "never-returned",
  "never-rebooted",
  "timed-out",
  "in-doubt",
]);

/**
 * Passes on events, and shows the node's last log lines before a failure.
 *
 * @param events Events of a node.
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

/** Timeout for each log, in milliseconds. */
const deadlineMs = 5_000;

/**
 * Reads the ends of the kernel log and of machined's log.
 *
 * @param tailLines Lines of each log.
 * @returns Lines for users, each prefixed with its log; one line that says so when there are none.
 */
export async function logTails(
  { machine }: Pick<NodeClient, "machine">,
  tailLines = 20,
): Promise<readonly string[]> {
  const logs = await Promise.all([
    ending("kernel", tailLines, () => machine.dmesg({}, { deadlineMs })),
    ending("machined", tailLines, () =>
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
    // A truncated log is evidence as well.
    if (!(error instanceof OsctlError)) throw error;
    return [...last, `cannot be read: ${error.message}`]
      .map((line) => `${log}: ${line}`);
  }
  return last.map((line) => `${log}: ${line}`);
}

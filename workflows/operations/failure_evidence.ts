/** Evidence on standard error, when an operation did not end as it should. */

import type { NodeClient } from "../../transport/call/client.ts";
import type { Outcome } from "./operation.ts";
import { lastWords } from "./evidence.ts";
import type { NodeEvent } from "./run.ts";

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
  events: AsyncIterable<NodeEvent>,
  client: Pick<NodeClient, "machine">,
  note: (text: string) => void,
): AsyncGenerator<NodeEvent> {
  for await (const event of events) {
    const { node } = event;
    const isTelling = "verdict" in event && !event.untouched &&
      telling.has(event.verdict.outcome);
    if (isTelling) {
      for (const line of await lastWords(client)) note(`${node}: ${line}`);
    }
    yield event;
  }
}

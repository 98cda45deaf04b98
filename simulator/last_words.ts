/** Streams that end in good order, with all they have to say, when a node stops. */

import type { SimulatedNode } from "./node.ts";
import {
  type overrun,
  type Reading,
  readSeries,
  type Series,
} from "./series.ts";

/** How long streams are waited for, and how often they are looked at, in milliseconds. */
const patience = { longestMs: 2_000, everyMs: 5 };

/**
 * Reads a history until the node stops its services; what is there by then is still read.
 *
 * @param series What to read.
 * @param from Position to start at.
 */
export async function* readUntilStop<T>(
  node: SimulatedNode,
  series: Series<T>,
  from: number,
  reading: Reading,
): AsyncGenerator<T | typeof overrun> {
  const { lastWords, stopping } = node;
  const reader = {};
  lastWords.add(reader);
  try {
    yield* readSeries(series, from, { ...reading, until: stopping.signal });
  } finally {
    lastWords.delete(reader);
  }
}

/** Ends those streams; clients that read have all of them, those that do not are left. */
export async function endStreams(
  { clock, stopping, lastWords }: SimulatedNode,
): Promise<void> {
  await clock.sleep(0);
  stopping.abort();
  await clock.sleep(0);
  const { longestMs, everyMs } = patience;
  const end = clock.now() + longestMs;
  while (lastWords.size > 0 && clock.now() < end) await clock.sleep(everyMs);
}

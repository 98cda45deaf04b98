/** What a node has started to say when it stops: streams end in good order, replies get out. */

import type { SimulatedNode } from "../state/node.ts";
import {
  type HistoryBuffer,
  type overrun,
  readHistory,
  type ReadOptions,
} from "../wire/history_buffer.ts";

/** How long they are waited for, and how often they are checked, in milliseconds. */
const patience = { longestMs: 2_000, everyMs: 5 };

/** Reads a history until the node stops its services; what is there by then is still read. */
export function readUntilShutdown<T>(
  node: SimulatedNode,
  series: HistoryBuffer<T>,
  from: number,
  reading: ReadOptions,
): AsyncGenerator<T | typeof overrun> {
  const until = node.boot.shutdown.signal;
  return trackReply(node, readHistory(series, from, { ...reading, until }));
}

/**
 * Hands messages on; the node waits for their readers before it shuts down.
 *
 * @param messages What is there or ends by itself when the node stops.
 */
export async function* trackReply<T>(
  { boot: { openReplies } }: SimulatedNode,
  messages: Iterable<T> | AsyncIterable<T>,
): AsyncGenerator<T> {
  openReplies.add(messages);
  try {
    yield* messages;
  } finally {
    openReplies.delete(messages);
  }
}

/** Ends streams, and waits until all is said; clients that do not read are left. */
export async function endStreams(node: SimulatedNode): Promise<void> {
  await node.clock.sleep(0);
  node.boot.shutdown.abort();
  await untilRepliesSent(node);
}

/** Waits until all is said, or for two seconds. */
export async function untilRepliesSent(
  { clock, boot: { openReplies } }: SimulatedNode,
): Promise<void> {
  await clock.sleep(0);
  const { longestMs, everyMs } = patience;
  const end = clock.now() + longestMs;
  while (openReplies.size > 0 && clock.now() < end) await clock.sleep(everyMs);
}

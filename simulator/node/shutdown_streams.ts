/** Open streams and replies at shutdown: streams end cleanly, and replies are sent. */

import type { SimulatedNode } from "../state/node.ts";
import {
  type HistoryBuffer,
  type overrun,
  readHistory,
  type ReadOptions,
} from "../wire/history_buffer.ts";

/** Timeout and polling interval, in milliseconds. */
const patience = { longestMs: 2_000, everyMs: 5 };

/** Reads a history until the node stops its services; existing items are still read. */
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
 * Forwards messages; the node waits for their readers before it shuts down.
 *
 * @param messages Finite, or ending when the node stops.
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

/** Ends streams and waits until all messages are sent; clients that do not read are abandoned. */
export async function endStreams(node: SimulatedNode): Promise<void> {
  await node.clock.sleep(0);
  node.boot.shutdown.abort();
  await untilRepliesSent(node);
}

/** Waits until all messages are sent, at most two seconds. */
export async function untilRepliesSent(
  { clock, boot: { openReplies } }: SimulatedNode,
): Promise<void> {
  await clock.sleep(0);
  const { longestMs, everyMs } = patience;
  const end = clock.now() + longestMs;
  while (openReplies.size > 0 && clock.now() < end) await clock.sleep(everyMs);
}

import { CancelledError, NodesError } from "../../errors.ts";
import type { NodeAnswer } from "./nodes.ts";

interface FanOutSpec<T> {
  /** Nodes, in the order failures are reported. */
  readonly nodes: readonly string[];
  /** Opens the stream of a node; `signal` aborts when it is no longer read. */
  readonly open: (node: string, signal: AbortSignal) => AsyncIterable<T>;
  readonly atOnce: number;
  /** Aborts on interrupt; the generator then returns without an error. */
  readonly signal?: AbortSignal;
}

interface Offer<T> {
  readonly answer: NodeAnswer<T>;
  readonly taken: () => void;
}

/**
 * Reads from many nodes in parallel. Yields values in order of arrival, in order per node, with backpressure.
 * Throws `NodesError` after the last value, with every failed node.
 */
export async function* fanOut<T>(
  { nodes, open, atOnce, signal }: FanOutSpec<T>,
): AsyncGenerator<NodeAnswer<T>> {
  const failures = new Map<string, unknown>();
  const stop = new AbortController();
  const cancel = () => stop.abort(signal?.reason ?? new CancelledError());
  signal?.addEventListener("abort", cancel);
  if (signal?.aborted) cancel();
  const queue = nodes.values();
  const offers: Offer<T>[] = [];
  let wake = () => {};
  let over = false;

  /** Waits until the consumer takes an answer. */
  async function offer(answer: NodeAnswer<T>): Promise<void> {
    stop.signal.throwIfAborted();
    await new Promise<void>((taken) => {
      offers.push({ answer, taken });
      wake();
    });
    stop.signal.throwIfAborted();
  }

  async function pump(node: string): Promise<void> {
    try {
      for await (const value of open(node, stop.signal)) {
        await offer({ node, value });
      }
    } catch (error) {
      if (!stop.signal.aborted) failures.set(node, error);
    }
  }

  async function worker(): Promise<void> {
    for (const node of queue) {
      if (stop.signal.aborted) return;
      // Sequential on purpose: the number of workers limits concurrency.
      await pump(node);
    }
  }

  async function pumpAll(): Promise<void> {
    const workers = Math.max(1, Math.min(atOnce, nodes.length));
    await Promise.all(Array.from({ length: workers }, worker));
    over = true;
    wake();
  }

  const pumps = pumpAll();
  try {
    while (!over || offers.length > 0) {
      const next = offers.shift();
      if (next === undefined) {
        await new Promise<void>((resolve) => wake = resolve);
        continue;
      }
      next.taken();
      yield next.answer;
    }
  } finally {
    stop.abort(new CancelledError());
    for (const { taken } of offers) taken();
    signal?.removeEventListener("abort", cancel);
    await pumps;
  }
  if (failures.size > 0 && !signal?.aborted) {
    throw new NodesError(inOrder(nodes, failures), nodes.length);
  }
}

function inOrder(
  nodes: readonly string[],
  failures: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, unknown> {
  return new Map(
    nodes.filter((node) => failures.has(node)).map((node) => [
      node,
      failures.get(node),
    ]),
  );
}

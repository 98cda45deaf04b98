/** Pending calls and work of this process, for the waiting notice. */

/** A pending call. */
export interface OpenCall {
  /** Node as given by the user; empty for the endpoint itself. */
  readonly node: string;
  /** True once it was assigned a connection. */
  isConnected: boolean;
  /** Timeout in milliseconds; infinite if it has none. */
  readonly timeoutMs: number;
}

/** Pending calls of this process, oldest first. */
export const openCalls: Set<OpenCall> = new Set();

/** Work that may take long without output. */
export interface OpenWork {
  /** Description, starting in lower case: `generating an RSA key`. */
  readonly text: () => string;
}

/** Work in progress, innermost last. */
export const openWork: Set<OpenWork> = new Set();

/** Description, starting in lower case; a function if it changes over time. */
type WorkText = string | (() => string);

function beginCall(text: WorkText): Disposable {
  const one = { text: typeof text === "string" ? () => text : text };
  openWork.add(one);
  return { [Symbol.dispose]: () => void openWork.delete(one) };
}

/** Runs work, described in the waiting notice. */
export async function working<T>(
  text: WorkText,
  work: () => Promise<T>,
): Promise<T> {
  using _ = beginCall(text);
  return await work();
}

/** Yields values that take long to produce, described in the waiting notice. */
export async function* workingOn<T>(
  text: WorkText,
  items: AsyncIterable<T>,
): AsyncGenerator<T> {
  using _ = beginCall(text);
  yield* items;
}

/**
 * Passes bytes through, and shows their number in the waiting notice.
 *
 * @param from Description with the source: `etcd snapshot from 10.0.0.2`.
 */
export function receiving(
  from: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  return counting(`receiving ${from}`, chunks);
}

/** The same for bytes that are sent. `what`: name of the file. */
export function sending(
  what: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  return counting(`sending ${what}`, chunks);
}

async function* counting(
  text: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  using _ = beginCall(() => `${text}: ${(bytes / 1_000_000).toFixed(1)} MB`);
  for await (const chunk of chunks) {
    bytes += chunk.length;
    yield chunk;
  }
}

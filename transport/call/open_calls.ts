/** What this process waits for or works on, for the line that says so while there is no other output. */

/** A call without an answer. */
export interface OpenCall {
  /** Node as it was named; empty for the endpoint itself. */
  readonly node: string;
  /** True when a connection carries it. */
  isConnected: boolean;
}

/** Calls of this process without an answer, the oldest first. */
export const openCalls: Set<OpenCall> = new Set();

/** Work that may take long and says nothing meanwhile. */
export interface OpenWork {
  /** What is being done, lower case first: `generating an RSA key`. */
  readonly text: () => string;
}

/** Work of this process, the innermost last. */
export const openWork: Set<OpenWork> = new Set();

/** What is being done, lower case first; a function when it changes meanwhile. */
type WorkText = string | (() => string);

function begun(text: WorkText): Disposable {
  const one = { text: typeof text === "string" ? () => text : text };
  openWork.add(one);
  return { [Symbol.dispose]: () => void openWork.delete(one) };
}

/** Does work that is named while it takes long. */
export async function working<T>(
  text: WorkText,
  work: () => Promise<T>,
): Promise<T> {
  using _ = begun(text);
  return await work();
}

/** Passes on what takes long to make, and names the work meanwhile. */
export async function* workingOn<T>(
  text: WorkText,
  items: AsyncIterable<T>,
): AsyncGenerator<T> {
  using _ = begun(text);
  yield* items;
}

/**
 * Passes on bytes that go to a file, and says how many there were while it takes long.
 *
 * @param from What they are and where they come from: `etcd snapshot from 10.0.0.2`.
 */
export async function* receiving(
  from: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  using _ = begun(() =>
    `receiving ${from}: ${(bytes / 1_000_000).toFixed(1)} MB`
  );
  for await (const chunk of chunks) {
    bytes += chunk.length;
    yield chunk;
  }
}

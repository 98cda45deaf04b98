/** Sending a snapshot to a node. */

import { openRegular } from "./block_file.ts";

/** Size of the messages it is cut into, in bytes. */
const chunk = 64 * 1024;

/**
 * Cuts a snapshot into messages.
 *
 * @param path The file.
 * @param signal Ends it.
 * @throws {ConfigError} If the file may not be read.
 */
export async function* snapshotMessages(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<{
  /** The next bytes of the file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}> {
  const { file: opened } = await openRegular(path);
  using file = opened;
  while (true) {
    signal.throwIfAborted();
    const bytes = new Uint8Array(chunk);
    const size = await file.read(bytes);
    if (size === null) return;
    yield { bytes: bytes.subarray(0, size) };
  }
}

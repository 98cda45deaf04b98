/** Gathers small writes into few large ones. */

import type { Sink } from "./world.ts";

/** Text and bytes on their way to a stream. */
export interface Writer {
  /** Takes text; returns a promise only when the reader has to be waited for. */
  readonly text: (text: string) => void | Promise<void>;
  /** Takes bytes, after all text before them. */
  readonly bytes: (bytes: Uint8Array) => Promise<void>;
  /** Writes out what was gathered. */
  readonly flush: () => Promise<void>;
}

/** Characters gathered before they are written out at once. */
const enough = 64 * 1024;

/**
 * Makes a writer.
 *
 * What was gathered is written when it is enough, and else as soon as the write before it is done.
 *
 * @param sink Where it goes.
 */
export function writer(sink: Sink): Writer {
  const encoder = new TextEncoder();
  let parts: string[] = [];
  let size = 0;
  let scheduled = false;
  let failure: { readonly error: unknown } | undefined;
  let tail = Promise.resolve();

  function push(bytes: Uint8Array): Promise<void> {
    tail = tail.then(async () => {
      if (failure === undefined) await sink.write(bytes);
    }).catch((error) => {
      failure ??= { error };
    });
    return tail;
  }

  function drain(): Promise<void> {
    scheduled = false;
    if (size === 0) return tail;
    const text = parts.join("");
    [parts, size] = [[], 0];
    return push(encoder.encode(text));
  }

  async function settled(done: Promise<void>): Promise<void> {
    await done;
    if (failure !== undefined) throw failure.error;
  }

  return {
    text(text) {
      parts.push(text);
      size += text.length;
      if (size >= enough) return settled(drain());
      if (!scheduled) {
        scheduled = true;
        // No timer: the first one of a process loads what costs half as much as an empty program.
        tail.then(() => {
          if (scheduled) drain();
        });
      }
    },
    bytes(bytes) {
      drain();
      return settled(push(bytes));
    },
    flush: () => settled(drain()),
  };
}

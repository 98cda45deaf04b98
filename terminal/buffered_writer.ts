import { after } from "../lib/timer.ts";
import type { Sink } from "./environment.ts";

/** Text and bytes on their way to a stream. */
export interface Writer {
  /** Takes text; returns a promise only when the reader has to be waited for. */
  readonly text: (text: string) => void | Promise<void>;
  /** Takes bytes, after all before them; returns a promise only when the reader has to be waited for. */
  readonly bytes: (bytes: Uint8Array) => void | Promise<void>;
  /** Writes out what was gathered. */
  readonly flush: () => Promise<void>;
}

/** Characters or bytes gathered before they are written out at once. */
const enough = 64 * 1024;

/** Longest time for which bytes are gathered, in milliseconds. */
const batchMs = 4;

/**
 * Makes a writer.
 *
 * What was gathered is written when it is enough, and else as soon as the write before it is done. One write may
 * be under way while the next is gathered.
 */
export function writer(sink: Sink): Writer {
  const encoder = new TextEncoder();
  let parts: string[] = [];
  let size = 0;
  let block: Uint8Array | undefined;
  let filled = 0;
  let spare: Uint8Array | undefined;
  let scheduled = false;
  let waiting = false;
  let failure: { readonly error: unknown } | undefined;
  let tail = Promise.resolve();

  function push(bytes: Uint8Array): void {
    tail = tail.then(async () => {
      if (failure === undefined) await sink.write(bytes);
    }).catch((error) => {
      failure ??= { error };
    });
  }

  function drain(): void {
    scheduled = false;
    if (block !== undefined) {
      const written = block;
      push(written.subarray(0, filled));
      tail.then(() => spare = written);
      [block, filled] = [undefined, 0];
    }
    if (size > 0) {
      const text = parts.join("");
      [parts, size] = [[], 0];
      push(encoder.encode(text));
    }
  }

  function soon(): void {
    if (scheduled) return;
    scheduled = true;
    // No timer: the first one of a process loads what costs half as much as an empty program.
    tail.then(() => {
      if (scheduled) drain();
    });
  }

  /**
   * Writes bytes out once what has come with them is gathered, too. One timer at a time: each takes as long as writing some
   * KiB.
   */
  function wait(): void {
    if (waiting) return;
    waiting = true;
    after(batchMs, () => {
      waiting = false;
      if (filled > 0) soon();
    });
  }

  async function settled(done: Promise<void>): Promise<void> {
    await done;
    refuse();
  }

  /** Writes out what there is, and waits for all before it. */
  function overlapped(bytes?: Uint8Array): Promise<void> {
    const before = tail;
    drain();
    if (bytes !== undefined) push(bytes);
    return settled(before);
  }

  function refuse(): void {
    if (failure !== undefined) throw failure.error;
  }

  return {
    text(text) {
      refuse();
      if (block !== undefined) drain();
      parts.push(text);
      size += text.length;
      if (size >= enough) return overlapped();
      soon();
    },
    bytes(bytes) {
      refuse();
      if (size > 0) drain();
      // Large ones are not worth the copy.
      if (bytes.length >= enough / 2) return overlapped(bytes);
      const full = filled + bytes.length > enough ? overlapped() : undefined;
      block ??= spare ?? new Uint8Array(enough);
      spare = undefined;
      block.set(bytes, filled);
      filled += bytes.length;
      wait();
      return full;
    },
    flush() {
      drain();
      return settled(tail);
    },
  };
}

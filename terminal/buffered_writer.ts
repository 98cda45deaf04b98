import { after } from "../lib/timer.ts";
import type { Sink } from "./environment.ts";

/** Buffered writer for text and bytes. */
export interface Writer {
  /** Adds text; returns a promise only when the reader is slow. */
  readonly text: (text: string) => void | Promise<void>;
  /** Adds bytes after earlier output; returns a promise only when the reader is slow. */
  readonly bytes: (bytes: Uint8Array) => void | Promise<void>;
  /** Flushes the buffer. */
  readonly flush: () => Promise<void>;
}

/** Buffer size in characters or bytes. */
const enough = 64 * 1024;

/** Size of the buffers for long texts, in bytes. */
const longest = 512 * 1024;

/** Longest time for which bytes are buffered, in milliseconds. */
const batchMs = 4;

/**
 * Creates a writer.
 *
 * The buffer is written when it is full, or as soon as the previous write is done. One write may be
 * in progress while the next is buffered.
 */
export function writer(sink: Sink): Writer {
  const encoder = new TextEncoder();
  let parts: string[] = [];
  let size = 0;
  let block: Uint8Array | undefined;
  let filled = 0;
  let spare: Uint8Array | undefined;
  const encoded: Uint8Array[] = [];
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

  /** Encodes long texts into buffers that are used again: new ones take memory until the engine collects them. */
  function pushText(text: string): void {
    const most = text.length * 3; // bytes of UTF-8
    if (text.length < enough || most > longest) {
      return push(encoder.encode(text));
    }
    const buffer = encoded.pop() ?? new Uint8Array(longest);
    push(buffer.subarray(0, encoder.encodeInto(text, buffer).written));
    tail.then(() => encoded.push(buffer));
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
      pushText(text);
    }
  }

  function soon(): void {
    if (scheduled) return;
    scheduled = true;
    // Not a timer: the first one of a process costs half as much as an empty program.
    tail.then(() => {
      if (scheduled) drain();
    });
  }

  /**
   * Writes bytes once everything that arrived with them is buffered. One timer at a time: each takes as long as writing
   * some KiB.
   */
  function wait(): void {
    if (waiting) return;
    waiting = true;
    after(batchMs, () => {
      waiting = false;
      if (filled > 0) soon();
    });
  }

  async function settle(done: Promise<void>): Promise<void> {
    await done;
    refuse();
  }

  /** Writes the buffer after all earlier writes. */
  function writeOverlapping(bytes?: Uint8Array): Promise<void> {
    const before = tail;
    drain();
    if (bytes !== undefined) push(bytes);
    return settle(before);
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
      if (size >= enough) return writeOverlapping();
      soon();
    },
    bytes(bytes) {
      refuse();
      if (size > 0) drain();
      // Large chunks are not worth a copy.
      if (bytes.length >= enough / 2) return writeOverlapping(bytes);
      const full = filled + bytes.length > enough
        ? writeOverlapping()
        : undefined;
      block ??= spare ?? new Uint8Array(enough);
      spare = undefined;
      block.set(bytes, filled);
      filled += bytes.length;
      wait();
      return full;
    },
    flush() {
      drain();
      return settle(tail);
    },
  };
}

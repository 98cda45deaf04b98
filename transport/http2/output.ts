/** Output queue that combines frames into few writes. */

import { concatBytes } from "../../lib/bytes.ts";
import type { ByteStream } from "./byte_stream.ts";

/** Queue size in bytes above which senders wait. */
const enough = 1024 * 1024;

/** Microtask turns to wait for more frames before a write. */
const gatherTurns = 64;

interface OutputOptions {
  readonly stream: Pick<ByteStream, "write">;
  /** Called once when a write fails. */
  readonly failed: (error: unknown) => void;
}

/** Writes frames in order; the next write is collected during the current one. */
export class Output {
  readonly #options: OutputOptions;
  #frames: Uint8Array[] = [];
  #size = 0;
  #replies = 0;
  #running = false;
  #waiting: (() => void)[] = [];
  #stopped = false;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  /** Queued bytes. */
  get size(): number {
    return this.#size;
  }

  /** Queued bytes that are replies to frames of the other side. */
  get replies(): number {
    return this.#replies;
  }

  /**
   * Adds a frame.
   *
   * @param frame Must not be changed afterwards.
   * @param isReply True for a reply to a frame of the other side.
   */
  push(frame: Uint8Array, isReply = false): void {
    if (this.#stopped) return;
    this.#frames.push(frame);
    this.#size += frame.length;
    if (isReply) this.#replies += frame.length;
    if (this.#running) return;
    this.#running = true;
    this.#run();
  }

  /** Waits until the queue has room; returns at once if it has, or after `stop`. */
  async room(): Promise<void> {
    while (this.#size > enough && !this.#stopped) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Drops queued frames. `last`: final frame, written only if possible at once. */
  stop(last?: Uint8Array): void {
    this.#stopped = true;
    if (last !== undefined && !this.#running) {
      this.#options.stream.write(last).catch(() => {}); // the connection may be closed
    }
    this.#frames = [];
    this.#size = 0;
    this.#wake();
  }

  async #run(): Promise<void> {
    try {
      await this.#gathered();
      while (this.#size > 0) {
        const batch = this.#take();
        for (let rest = batch; rest.length > 0;) {
          rest = rest.subarray(await this.#options.stream.write(rest));
        }
        this.#wake();
      }
    } catch (error) {
      if (!this.#stopped) this.#options.failed(error);
    }
    this.#running = false;
  }

  /** Waits, so that the calls of a fan-out, started one microtask after the other, share a write. */
  async #gathered(): Promise<void> {
    let before = -1;
    for (let turn = 0; turn < gatherTurns && before !== this.#size; turn++) {
      before = this.#size;
      // A call needs several turns between two frames.
      for (let i = 0; i < 4; i++) await undefined;
    }
  }

  #take(): Uint8Array {
    const [first, ...others] = this.#frames;
    const all = others.length === 0 ? first! : concatBytes(this.#frames);
    this.#frames = [];
    this.#size = 0;
    this.#replies = 0;
    return all;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

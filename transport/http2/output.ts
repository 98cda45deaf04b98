/** Frames on their way out, gathered into as few writes as possible. */

import type { ByteStream } from "./byte_stream.ts";

/** Bytes beyond which whoever has more to send waits. */
const enough = 1024 * 1024;

/** Turns of the microtask queue in which others may add to a write. */
const gatherTurns = 64;

interface OutputOptions {
  readonly stream: Pick<ByteStream, "write">;
  /** Called once when a write fails. */
  readonly failed: (error: unknown) => void;
}

/** Writes frames in order; one write is under way while the next is gathered. */
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

  /** Bytes that wait to be written. */
  get size(): number {
    return this.#size;
  }

  /** Those of them that the other side has asked for. */
  get replies(): number {
    return this.#replies;
  }

  /**
   * Adds a frame.
   *
   * @param frame Not changed afterwards.
   * @param isReply True when it answers a frame of the other side.
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

  /** Waits until there is room for more; at once when there is, or when nothing is written any more. */
  async room(): Promise<void> {
    while (this.#size > enough && !this.#stopped) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Drops what was not written. `last`: frame to write anyway, if it can be at once. */
  stop(last?: Uint8Array): void {
    this.#stopped = true;
    if (last !== undefined && !this.#running) {
      this.#options.stream.write(last).catch(() => {}); // nobody may be there
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

  /** Lets the calls of a fan-out, which come one microtask after the other, go out together. */
  async #gathered(): Promise<void> {
    let before = -1;
    for (let turn = 0; turn < gatherTurns && before !== this.#size; turn++) {
      before = this.#size;
      // Each call needs several turns from one frame to the next.
      for (let i = 0; i < 4; i++) await undefined;
    }
  }

  #take(): Uint8Array {
    const [first, ...others] = this.#frames;
    const all = others.length === 0 ? first! : new Uint8Array(this.#size);
    let at = 0;
    if (others.length > 0) {
      for (const frame of this.#frames) {
        all.set(frame, at);
        at += frame.length;
      }
    }
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

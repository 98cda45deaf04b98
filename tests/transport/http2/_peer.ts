/** The other side of a connection, in memory and frame by frame. */

import assert from "node:assert/strict";
import type { ByteStream } from "../../../transport/http2/byte_stream.ts";
import {
  encodeFrame,
  frameType,
  preface,
} from "../../../transport/http2/frame.ts";
import type { HeaderField } from "../../../transport/http2/header_table.ts";
import { Http2Session } from "../../../transport/http2/session.ts";
import type {
  StreamFailure,
  StreamReceiver,
} from "../../../transport/http2/stream.ts";

export const never = new AbortController().signal;

/** One frame as it was seen. */
export interface Seen {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
}

/** A server that says what a test says, and never looks at anything. */
export class Peer {
  #come: Uint8Array[] = [];
  #wake = () => {};
  #ended = false;
  sent: number[] = [];
  writes = 0;
  closed = false;
  /** Set while nothing that the client writes gets out. */
  blocked: Promise<void> | undefined;

  readonly bytes: ByteStream = {
    read: async (into) => {
      while (this.#come.length === 0 && !this.#ended && !this.closed) {
        await new Promise<void>((resolve) => this.#wake = resolve);
      }
      if (this.closed) throw new Error("closed");
      const next = this.#come.shift();
      if (next === undefined) return null;
      const now = next.subarray(0, into.length);
      if (now.length < next.length) {
        this.#come.unshift(next.subarray(now.length));
      }
      into.set(now);
      return now.length;
    },
    write: async (bytes) => {
      await this.blocked;
      this.writes++;
      for (const byte of bytes) this.sent.push(byte);
      return bytes.length;
    },
    close: () => {
      this.closed = true;
      this.#wake();
    },
  };

  /** Sends bytes. */
  say(...all: readonly Uint8Array[]): void {
    this.#come.push(...all.filter(({ length }) => length > 0));
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  frames(): Seen[] {
    const bytes = new Uint8Array(this.sent);
    assert.deepEqual(bytes.subarray(0, preface.length), preface);
    const frames: Seen[] = [];
    for (let at = preface.length; at < bytes.length;) {
      const view = new DataView(bytes.buffer, at);
      const size = view.getUint32(0) >>> 8;
      frames.push({
        type: bytes[at + 3]!,
        flags: bytes[at + 4]!,
        stream: view.getUint32(5),
        payload: bytes.subarray(at + 9, at + 9 + size),
      });
      at += 9 + size;
    }
    return frames;
  }

  of(type: number): Seen[] {
    return this.frames().filter((frame) => frame.type === type);
  }
}

/** Settings without a value. */
export const noSettings = encodeFrame(frameType.settings, 0, 0);

/** Connects to a server that has sent these settings. */
export async function connect(settings: Uint8Array = noSettings) {
  const peer = new Peer();
  peer.say(settings);
  const session = await Http2Session.open(peer.bytes, never);
  await settle();
  return { peer, session };
}

/** Waits until nothing is left to do. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** Remembers an answer. */
export function recorder() {
  const fields: HeaderField[][] = [];
  const data: number[] = [];
  const state: { end?: "ended" | StreamFailure } = {};
  const receiver: StreamReceiver = {
    headers: (all) => void fields.push([...all]),
    data: (bytes) => void data.push(...bytes),
    ended: () => void (state.end = "ended"),
    failed: (failure) => void (state.end = failure),
  };
  return { receiver, fields, data, state };
}

export const request: readonly HeaderField[] = [[":method", "POST"], [
  ":path",
  "/x",
]];

/** `:status: 200`, alone. */
export const ok = new Uint8Array([0x88]);

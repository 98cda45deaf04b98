/** A node's log whose readers can be interrupted. */

import { RpcError } from "../../errors.ts";
import type { LogRequest } from "../../transport/stream/follow_lines.ts";

/** A log and what can happen to it. */
export interface FakeLog {
  readonly read: (request: LogRequest) => AsyncIterable<Uint8Array>;
  readonly bootId: () => Promise<string | undefined>;
  /** Appends text, whole lines or not. */
  readonly write: (text: string) => void;
  readonly cutOff: (error?: Error) => void;
  /** Drops bytes from the start. */
  readonly rotate: (bytes: number) => void;
  /** Cuts all readers off and starts a new, empty log. */
  readonly reboot: () => void;
  readonly text: () => string;
  /** Resolves when a reader has read everything and waits. */
  readonly settled: () => Promise<void>;
  readonly requests: readonly Omit<LogRequest, "signal">[];
}

/**
 * Makes an empty log.
 *
 * @param chunk Largest chunk in bytes, called for every chunk.
 */
export function fakeLog(chunk: () => number = () => 5): FakeLog {
  const encoder = new TextEncoder();
  let bytes = new Uint8Array();
  let dropped = 0;
  let boot = 1;
  let cut = { count: 0, error: new Error() };
  let changed = Promise.withResolvers<void>();
  let idle = Promise.withResolvers<void>();
  const requests: Omit<LogRequest, "signal">[] = [];

  function change(): void {
    const before = idle;
    idle = Promise.withResolvers();
    // Earlier waiters wait for the change to be read as well.
    idle.promise.then(before.resolve);
    changed.resolve();
    changed = Promise.withResolvers();
  }

  function findStart(last: number | undefined): number {
    if (last === undefined) return dropped;
    const text = new TextDecoder().decode(bytes);
    const lines = text.split("\n");
    const whole = text.endsWith("\n") ? lines.slice(0, -1) : lines;
    const kept = last === 0 ? "" : whole.slice(-last).join("\n");
    const end = text.endsWith("\n") && kept !== "" ? 1 : 0;
    return dropped + bytes.length - encoder.encode(kept).length - end;
  }

  async function* read({ follow, last, signal }: LogRequest) {
    requests.push({ follow, last });
    const { count } = cut;
    let at = findStart(last);
    while (true) {
      if (cut.count !== count) throw cut.error;
      if (signal.aborted) return;
      at = Math.max(at, dropped);
      const rest = bytes.subarray(at - dropped);
      if (rest.length > 0) {
        const piece = rest.slice(0, Math.max(1, chunk()));
        at += piece.length;
        yield piece;
      } else if (!follow) return;
      else {
        idle.resolve();
        const aborted = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => aborted.resolve());
        await Promise.race([changed.promise, aborted.promise]);
      }
    }
  }

  function cutOff(error: Error = new RpcError("UNAVAILABLE", "cut off")) {
    cut = { count: cut.count + 1, error };
    change();
  }

  return {
    read,
    requests,
    bootId: () => Promise.resolve(`boot ${boot}`),
    write(text) {
      const more = encoder.encode(text);
      const joined = new Uint8Array(bytes.length + more.length);
      joined.set(bytes);
      joined.set(more, bytes.length);
      bytes = joined;
      change();
    },
    cutOff,
    rotate(count) {
      const gone = Math.min(count, bytes.length);
      bytes = bytes.subarray(gone);
      dropped += gone;
      change();
    },
    reboot() {
      boot++;
      bytes = new Uint8Array();
      dropped = 0;
      cutOff();
    },
    text: () => new TextDecoder().decode(bytes),
    settled: () => idle.promise,
  };
}

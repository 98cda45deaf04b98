/** Says what a command waits for, once it has said nothing for a while. */

import { formatDuration } from "../config/duration.ts";
import { type OpenCall, openCalls } from "../transport/call/open_calls.ts";
import { pause } from "../transport/pause.ts";
import { fitted } from "./drawing.ts";
import type { Environment, Sink } from "./environment.ts";
import type { LiveLines } from "./live_lines.ts";

/** An environment that knows when something was last said in it. */
export interface BrokenSilence {
  /** The same streams; what is written there breaks the silence. */
  readonly environment: Environment;
  /** Takes the line away. */
  readonly end: () => Promise<void>;
}

/** How a silence is told from work; all of it is for tests. */
export interface SilenceOptions {
  /** Calls without an answer; default those of this process. */
  readonly calls?: Iterable<OpenCall>;
  /** Waits between two looks; ends early when the signal aborts. Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** How long nothing is said before the line appears, in milliseconds. */
const quietMs = 2_000;

/** Time between two looks, in milliseconds. */
const everyMs = 500;

/** What a program writes that takes the whole screen. */
const wholeScreen = new TextEncoder().encode("\x1b[?1049h");

/**
 * Draws a line with the nodes that have not answered, as long as nothing else is drawn or asked. Only on a terminal.
 *
 * @param given Streams and lines at the bottom of the terminal.
 */
export function breakSilence(
  given: Environment,
  { calls = openCalls, wait = pause }: SilenceOptions = {},
): BrokenSilence {
  const { live, now } = given;
  if (live === undefined) {
    return { environment: given, end: () => Promise.resolve() };
  }
  const stop = new AbortController();
  let saidAt = now().getTime();
  let isDrawn = false;
  // When each call was first seen, in milliseconds since 1970.
  const seen = new WeakMap<OpenCall, number>();

  function heard(sink: Sink): Sink {
    return {
      ...sink,
      write(bytes) {
        saidAt = now().getTime();
        // Whoever draws on the whole screen draws alone.
        if (startsWith(bytes, wholeScreen)) stop.abort();
        return sink.write(bytes);
      },
    };
  }

  const drawn: LiveLines = {
    ...live,
    draw(lines, latest) {
      stop.abort();
      return live.draw(lines, latest);
    },
    alone(work) {
      stop.abort();
      return live.alone(work);
    },
  };

  function lines(): readonly string[] {
    const at = now().getTime();
    const all = [...calls];
    for (const call of all) if (!seen.has(call)) seen.set(call, at);
    const since = all[0] === undefined ? at : seen.get(all[0]) ?? at;
    const text = at - saidAt < quietMs ? "" : waitedFor(all, at - since);
    return text === "" ? [] : [fitted(text, live?.size().columns ?? 80)];
  }

  async function follow({ draw }: LiveLines): Promise<void> {
    while (true) {
      // One look after the other on purpose.
      await wait(everyMs, stop.signal);
      if (stop.signal.aborted) return;
      const next = lines();
      if (next.length === 0 && !isDrawn) continue;
      isDrawn = next.length > 0;
      await draw(next);
    }
  }

  const followed = follow(live);
  return {
    environment: {
      ...given,
      stdout: heard(given.stdout),
      stderr: heard(given.stderr),
      live: drawn,
    },
    async end() {
      const isOurs = !stop.signal.aborted;
      stop.abort();
      await followed;
      if (isDrawn && isOurs) await live.draw([]);
    },
  };
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, i) => bytes[i] === byte);
}

/**
 * Names the node that has been waited for longest: `waiting for 10.0.0.6: connecting, 8s`; empty for none.
 *
 * @param calls Calls without an answer, the oldest first.
 * @param ms How long the oldest has been waited for, in milliseconds.
 */
export function waitedFor(calls: readonly OpenCall[], ms: number): string {
  const [first] = calls;
  if (first === undefined) return "";
  const others = new Set(calls.map(({ node }) => node)).size - 1;
  const more = others === 0
    ? ""
    : ` and ${others} more node${others === 1 ? "" : "s"}`;
  const name = first.node === "" ? "the endpoint" : first.node;
  const phase = first.isConnected ? "no answer yet" : "connecting";
  const seconds = Math.floor(ms / 1_000);
  return `waiting for ${name}${more}: ${phase}, ${
    formatDuration(seconds * 1_000)
  }`;
}

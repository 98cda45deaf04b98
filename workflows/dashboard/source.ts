/** Data source that only requests the feeds on the screen. */

import type { NodeClient } from "../../transport/call/client.ts";
import { failureKind } from "../../transport/call/retryable.ts";
import { pause } from "../../lib/pause.ts";
import type {
  DashboardData,
  Feed,
  FeedContext,
  Need,
  Reading,
} from "./feed.ts";

interface SourceOptions {
  readonly nodes: readonly string[];
  /** Client for any node of the cluster; calls abort with the signal. */
  readonly at: (node: string, signal: AbortSignal) => Promise<NodeClient>;
  /** Time between two polls in milliseconds. */
  readonly everyMs: number;
  /** The present, in milliseconds since 1970. */
  readonly now: () => number;
  /** Called when there is new data to draw. */
  readonly changed: () => void;
  /** Waits; returns early when the signal aborts. Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface Source extends DashboardData {
  /**
   * Opens the feeds that are needed now, and closes all others.
   *
   * @param refresh Number of refreshes; all feeds are opened again when it changes. Default 0.
   */
  readonly want: (needs: readonly Need[], refresh?: number) => void;
  readonly open: () => readonly string[];
  readonly close: () => Promise<void>;
}

/** Delays before a failed feed is reopened, in milliseconds; doubled each time. */
const pauses = { first: 500, longest: 5_000 };

/** Delay when the refusal of the node is permanent. */
const refusedMs = 30_000;

/** Number of nodes polled at the normal interval; for twice as many the interval doubles. */
const atOnce = 100;

/** Time after which an answer is late, in milliseconds. */
const lateMs = 3_000;

interface OpenFeed {
  readonly name: string;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Creates a source without open feeds. */
export function createSource(options: SourceOptions): Source {
  const { nodes, everyMs, now, changed, wait = pause } = options;
  const open = new Map<string, OpenFeed>();
  const readings = new Map<string, Reading<unknown>>();
  /** When the value that is still missing was requested. */
  const requested = new Map<string, number>();
  const closing = new Set<Promise<void>>();
  const nothing: Reading<never> = {};
  let refreshed = 0;

  /** Poll interval, so that the total request rate does not grow with the cluster. */
  function intervalMs(name: string): number {
    let count = 0;
    for (const one of open.values()) if (one.name === name) count++;
    return everyMs * Math.max(1, count / atOnce);
  }

  function put(key: string, reading: Reading<unknown>): void {
    readings.set(key, reading);
    requested.delete(key);
    changed();
  }

  async function keepOpen(
    { node, feed }: Need,
    key: string,
    signal: AbortSignal,
  ): Promise<void> {
    let pauseMs = pauses.first;
    const failed = (error: unknown) =>
      put(key, { ...readings.get(key), ...toProblem(error, node) });
    while (!signal.aborted) {
      let isFinal = false;
      // Resources of one attempt must not outlive it.
      const attempt = new AbortController();
      const either = AbortSignal.any([signal, attempt.signal]);
      if (readings.get(key)?.problem === undefined) requested.set(key, now());
      try {
        const at = (name: string) => options.at(name, either);
        const context = {
          client: await at(node),
          at,
          nodes,
          signal: either,
          async pause() {
            await wait(intervalMs(feed.name), either);
            if (!either.aborted) requested.set(key, now());
          },
          now,
          before: readings.get(key)?.value,
          lost: failed,
        };
        for await (const value of feed.open(context)) {
          if (signal.aborted) return;
          pauseMs = pauses.first;
          put(key, { value });
        }
      } catch (error) {
        if (signal.aborted) return;
        isFinal = failureKind(error) === "final";
        failed(error);
      } finally {
        attempt.abort();
      }
      // Attempts are sequential on purpose.
      await wait(isFinal ? refusedMs : pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, pauses.longest);
    }
  }

  function close(key: string, { stop, ended }: OpenFeed): void {
    open.delete(key);
    requested.delete(key);
    stop.abort();
    closing.add(ended);
    ended.then(() => closing.delete(ended));
  }

  return {
    want(needs, refresh = 0) {
      const wanted = new Map(needs.map((need) => [formatKey(need), need]));
      for (const [key, feed] of open) {
        if (!wanted.has(key) || refresh !== refreshed) close(key, feed);
      }
      refreshed = refresh;
      for (const key of readings.keys()) {
        if (isLargeKey(key) && !wanted.has(key)) readings.delete(key);
      }
      for (const [key, need] of wanted) {
        if (open.has(key)) continue;
        const stop = new AbortController();
        const ended = keepOpen(need, key, stop.signal);
        open.set(key, { name: need.feed.name, stop, ended });
      }
    },
    of<T>(node: string, feed: Feed<T>) {
      const key = formatKey({ node, feed });
      // Set by the same feed.
      const reading = (readings.get(key) ?? nothing) as Reading<T>;
      const ms = now() - (requested.get(key) ?? Infinity);
      return ms < lateMs ? reading : { ...reading, lateMs: ms };
    },
    open: () => [...open.keys()],
    async close() {
      for (const [key, feed] of open) close(key, feed);
      await Promise.all(closing);
    },
  };
}

const large = "large ";

function formatKey({ node, feed }: Need): string {
  return `${feed.isLarge ? large : ""}${node} ${feed.name}`;
}

function isLargeKey(key: string): boolean {
  return key.startsWith(large);
}

function toProblem(
  error: unknown,
  node: string,
): Pick<Reading<never>, "problem" | "isAway"> {
  const reason = error instanceof Error ? error.message : "disconnected";
  const [connecting = ""] = /^cannot connect to \S+: /i.exec(reason) ?? [];
  return {
    // The node is known where it is shown; another endpoint is not.
    problem: connecting.includes(` ${node}:`)
      ? reason.slice(connecting.length)
      : reason,
    isAway: error === undefined || failureKind(error) === "away",
  };
}

/** A polling feed. `ask`: polls once; receives the previous value. */
export function pollFeed<T>(
  name: string,
  ask: (context: FeedContext<T>, before: T | undefined) => Promise<T>,
): Feed<T> {
  return {
    name,
    async *open(context) {
      let value = context.before;
      while (!context.signal.aborted) {
        value = await ask(context, value);
        yield value;
        await context.pause();
      }
    },
  };
}

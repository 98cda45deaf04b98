/** Streams that resume after a node was unavailable. */

import { type BootWatch, bootWatch, type ReadBootId } from "./boot_id.ts";
import { failureKind } from "../call/retryable.ts";
import { pause } from "../../lib/pause.ts";

/** Yielded by an attempt once its stream is open; not passed to consumers. */
export const opened: unique symbol = Symbol("opened");

/** A point in the stream where items may be missing. */
export interface Gap {
  readonly kind: "gap";
  /** Reason; `connection lost` if unknown. */
  readonly reason: "node rebooted" | "connection lost";
  readonly since: Date;
  readonly at: Date;
}

/** An item sent by the node. */
export interface Item<T> {
  readonly kind: "item";
  readonly item: T;
}

/** Item or gap of a followed stream. */
export type Followed<T> = Item<T> | Gap;

/** An attempt to open the stream. */
export interface FollowAttempt {
  /** Reason for the reconnect since the last successful attempt; `undefined` for the first attempt. */
  readonly reason: Gap["reason"] | undefined;
  /** Error of the previous attempt; `undefined` if the node closed the stream. */
  readonly error: unknown;
  /** Aborts when the stream is no longer needed. */
  readonly signal: AbortSignal;
}

/** Options of following; all are optional. */
export interface FollowOptions {
  /** Reads the boot id of the node; without it reboots are not detected. */
  readonly bootId?: ReadBootId;
  /** Called once when the stream is lost, with the error; `undefined` if the node closed it. */
  readonly lost?: (error: unknown) => void;
  /** True to wait for a node that is unreachable at the first attempt; default false. */
  readonly awaits?: (error: unknown) => boolean;
  /** Interval in milliseconds of checks for undetected reboots, default 20 s; 0 for none. */
  readonly checkMs?: number;
  /** Time in milliseconds to retry while the node rejects the stream, default 5 min: it may be booting. */
  readonly patienceMs?: number;
  /** Waits; returns early when the signal aborts. Default a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now?: () => Date;
}

/** Options of following. */
export interface Follow<T> extends FollowOptions {
  /** Opens the stream where the last attempt ended; the caller keeps track of the position. */
  readonly open: (attempt: FollowAttempt) => AsyncIterable<T | typeof opened>;
  /** Aborts on interrupt; following then stops without an error. */
  readonly signal: AbortSignal;
}

/** Exponential backoff between attempts, in milliseconds. */
const pauses = { first: 250, longest: 5_000 };

interface Outage {
  readonly since: Date;
  readonly error: unknown;
}

interface Ending {
  /** Error of the attempt; `undefined` if closed by the node or a reboot. */
  readonly error: unknown;
  /** True if the stream was open. */
  readonly wasOpen: boolean;
  readonly gave: boolean;
}

/**
 * Follows a stream; reopens it when it is closed or lost.
 *
 * Failures before the first open are final, unless the node has answered another request or {@linkcode
 * FollowOptions.awaits} returns true. Later, an unreachable node is retried without limit, one that rejects
 * the stream for {@linkcode FollowOptions.patienceMs}.
 *
 * @returns Items as they arrive, and a gap where the stream resumes.
 * @throws The error of opening or reading if a retry will not help.
 */
export async function* follow<T>(
  options: Follow<T>,
): AsyncGenerator<Followed<T>> {
  const { now = () => new Date(), wait = pause, patienceMs = 300_000 } =
    options;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const boot = bootWatch(options.bootId, signal);
  let outage: Outage | undefined;
  let everOpen = false;
  let pauseMs = pauses.first;

  function isFinal(error: unknown): boolean {
    const kind = failureKind(error);
    if (kind === "away") {
      return !everOpen && !boot.reached() && !options.awaits?.(error);
    }
    if (kind === "final" || !everOpen) return true;
    return outage !== undefined &&
      now().getTime() - outage.since.getTime() >= patienceMs;
  }

  try {
    while (!signal.aborted) {
      const ending = yield* attempt(options, { boot, outage, signal });
      if (signal.aborted) return;
      const { error, wasOpen, gave } = ending;
      everOpen ||= wasOpen || error === undefined;
      if (error !== undefined && isFinal(error)) throw error;
      if (gave) pauseMs = pauses.first;
      const before = wasOpen ? undefined : outage;
      if (before === undefined) options.lost?.(error);
      outage = { since: before?.since ?? now(), error };
      // Sequential on purpose.
      await wait(pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, pauses.longest);
    }
  } finally {
    stop.abort();
  }
}

interface Surroundings {
  readonly boot: BootWatch;
  readonly outage: Outage | undefined;
  readonly signal: AbortSignal;
}

async function* attempt<T>(
  { open, checkMs = 20_000, wait = pause, now = () => new Date() }: Follow<T>,
  { boot, outage, signal: given }: Surroundings,
): AsyncGenerator<Followed<T>, Ending> {
  const broken = new AbortController();
  const signal = AbortSignal.any([given, broken.signal]);
  let wasOpen = false;
  let gave = false;
  let error: unknown;
  try {
    const reason = outage && await boot.compare(signal);
    if (checkMs > 0) {
      const pause = () => wait(checkMs, signal);
      boot.watch({ pause, signal, rebooted: () => broken.abort() });
    }
    for await (const item of open({ reason, error: outage?.error, signal })) {
      if (outage && reason && !wasOpen) {
        yield { kind: "gap", reason, since: outage.since, at: now() };
      }
      wasOpen = true;
      boot.keep();
      if (item === opened) continue;
      gave = true;
      yield { kind: "item", item };
    }
  } catch (thrown) {
    // Not a failure if interrupted by a reboot.
    if (!broken.signal.aborted) error = thrown;
  } finally {
    broken.abort();
  }
  return { error, wasOpen, gave };
}

/** Formats a gap as one line. */
export function gapLine(node: string, { reason, since, at }: Gap): string {
  const [from, to] = [since, at].map((time) => time.toISOString());
  return `--- ${node}: ${reason}, gap from ${from} to ${to} ---`;
}

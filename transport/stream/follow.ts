/** A stream that continues after a node was unavailable. */

import { type BootWatch, bootWatch, type ReadBootId } from "./boot_id.ts";
import { failureKind } from "../call/retryable.ts";
import { pause } from "../../lib/pause.ts";

/** Yielded by an attempt as soon as its stream is known to be open; followers do not see it. */
export const opened: unique symbol = Symbol("opened");

/** A place where something may be missing. */
export interface Gap {
  readonly kind: "gap";
  /** What happened; `connection lost` also when nothing more is known. */
  readonly reason: "node rebooted" | "connection lost";
  readonly since: Date;
  readonly at: Date;
}

/** Something the node sent. */
export interface Item<T> {
  readonly kind: "item";
  readonly item: T;
}

/** What a follower sees. */
export type Followed<T> = Item<T> | Gap;

/** One attempt at opening the stream. */
export interface FollowAttempt {
  /** What happened since the last attempt that opened; `undefined` for the first attempt. */
  readonly reason: Gap["reason"] | undefined;
  /** Why the attempt before this one ended; `undefined` when the node just ended it. */
  readonly error: unknown;
  /** Aborts when nobody listens any more. */
  readonly signal: AbortSignal;
}

/** How following waits and what it reports; everything may be omitted. */
export interface FollowOptions {
  /** Reads the identity of the node's boot; omitted, reboots are not recognized. */
  readonly bootId?: ReadBootId;
  /** Called once when the stream broke, with why; `undefined` when the node just ended it. */
  readonly lost?: (error: unknown) => void;
  /** Whether a node that cannot be reached at first is waited for like one that was lost; default it is not. */
  readonly awaits?: (error: unknown) => boolean;
  /** How often in milliseconds a stream is checked for a reboot it did not notice, default 20 s; 0 for never. */
  readonly checkMs?: number;
  /** Longest time in milliseconds a node may refuse what it gave before, default 5 min: it may be booting. */
  readonly patienceMs?: number;
  /** Waits; ends early when the signal aborts. Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now?: () => Date;
}

/** Options of following. */
export interface Follow<T> extends FollowOptions {
  /** Opens the stream where the last attempt ended; the caller remembers the place. */
  readonly open: (attempt: FollowAttempt) => AsyncIterable<T | typeof opened>;
  /** Aborts when the user interrupts; following then ends without an error. */
  readonly signal: AbortSignal;
}

/** Pauses between attempts in milliseconds; each is twice the one before. */
const pauses = { first: 250, longest: 5_000 };

interface Outage {
  readonly since: Date;
  readonly error: unknown;
}

interface Ending {
  /** Why the attempt ended, `undefined` when the node or a reboot ended it. */
  readonly error: unknown;
  /** True when it opened, at least for a while. */
  readonly wasOpen: boolean;
  readonly gave: boolean;
}

/**
 * Follows a stream; opens it again when it ends or breaks.
 *
 * The first attempt has to open: until then a failure is final, unless the node answered otherwise, or
 * {@linkcode FollowOptions.awaits} says that it is waited for. Later, a
 * node that cannot be reached is waited for without limit, one that refuses for {@linkcode FollowOptions.patienceMs}.
 *
 * @returns Items as they come, and a gap where the stream continues after a break.
 * @throws What opening or reading threw when trying again cannot help.
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
      // One attempt after the other on purpose.
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
    // What a reboot broke off did not fail by itself.
    if (!broken.signal.aborted) error = thrown;
  } finally {
    broken.abort();
  }
  return { error, wasOpen, gave };
}

/** Writes a gap in what a node sent as one line. `gap`: what happened, and when. */
export function gapLine(node: string, { reason, since, at }: Gap): string {
  const [from, to] = [since, at].map((time) => time.toISOString());
  return `--- ${node}: ${reason}, gap from ${from} to ${to} ---`;
}

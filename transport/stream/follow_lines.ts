/** A log that is followed over lost connections and reboots, line by line. */

import { byLines } from "./by_line.ts";
import {
  follow,
  type FollowAttempt,
  type FollowOptions,
  type Gap,
  type Item,
  opened,
} from "./follow.ts";
import { linesAfter, skipSeen } from "./lines_after.ts";

/** How a log is read from a node. */
export interface LogRequest {
  /** True to continue with lines to come; false to end with the last line there is. */
  readonly follow: boolean;
  /** Start with so many of the last lines, or with more; `undefined` for the oldest there is. */
  readonly last: number | undefined;
  readonly signal: AbortSignal;
}

/** Options of following a log. */
export interface FollowLines extends FollowOptions {
  /** Reads the log; its bytes may be cut anywhere. */
  readonly read: (request: LogRequest) => AsyncIterable<Uint8Array>;
  /** How many of the lines already there are shown; omitted, all. */
  readonly last?: number;
  /** Gives of a line what is the same in each reading of the log; omitted, all of it. */
  readonly lineKey?: (line: string) => string;
  /** Aborts when the user interrupts; following then ends without an error. */
  readonly signal: AbortSignal;
}

interface LogGap extends Gap {
  /** True when lines are missing or may be; false when the log continues where it broke. */
  readonly missing: boolean;
}

/** Fewest lines read from the end of a log, so that the place can be found. */
const context = 200;

/**
 * Follows a log.
 *
 * After a break the whole log is read again and what was seen of it is omitted; after a reboot it is shown
 * from its start. A line cut by the break is shown whole, once; if the rest of it cannot come any more, it is
 * shown as far as it came.
 *
 * @returns Lines without LF, and a gap where the log continues after a break.
 * @throws What reading threw when trying again cannot help.
 */
export async function* followLines(
  options: FollowLines,
): AsyncGenerator<Item<string> | LogGap> {
  const { read, last: shown, lineKey: keyOf = (line) => line, ...others } =
    options;
  const lineKey = (line: string) => shortKey(keyOf(line));
  const position = positionInLog();
  let atEnd = shown !== undefined;

  function open({ reason, signal }: FollowAttempt) {
    if (atEnd) return fromEnd(shown ?? 0, signal);
    return reason === "connection lost" ? again(signal) : fromStart(signal);
  }

  async function* fromStart(signal: AbortSignal) {
    const request = { follow: true, last: undefined, signal };
    const chunks = read(request)[Symbol.asyncIterator]();
    try {
      const first = await chunks.next();
      if (first.done) return;
      position.restart();
      yield opened;
      yield* passed(
        byLines(chain(first.value, chunks), { unfinished: position.cut }),
      );
    } finally {
      await chunks.return?.();
    }
  }

  async function* fromEnd(shown: number, signal: AbortSignal) {
    const last = Math.max(shown, context);
    const log = await whole(last, signal);
    const keys = log.map(lineKey);
    position.end(keys, last);
    atEnd = false;
    yield* some(log.slice(Math.max(0, log.length - shown)));
    yield* behind(keys, live(last, signal), true);
  }

  async function* again(signal: AbortSignal) {
    const log = await whole(undefined, signal);
    const keys = log.map(lineKey);
    yield* some(takeLast(log, position.after(keys).length));
    yield* behind(keys, live(undefined, signal), false);
  }

  function whole(last: number | undefined, signal: AbortSignal) {
    const chunks = read({ follow: false, last, signal });
    // Its last line may still be written; it comes again with the lines to come.
    const batches = byLines(chunks, { unfinished() {} });
    return Array.fromAsync(batches).then((lines) => lines.flat());
  }

  function live(last: number | undefined, signal: AbortSignal) {
    const chunks = read({ follow: true, last, signal });
    return byLines(chunks, { unfinished: position.cut });
  }

  async function* passed(batches: AsyncIterable<readonly string[]>) {
    for await (const lines of batches) {
      position.pass(lines.map(lineKey));
      yield lines;
    }
  }

  async function* behind(
    log: readonly string[],
    lines: AsyncGenerator<readonly string[]>,
    isPart: boolean,
  ) {
    const recent: string[] = [];
    async function* keyed() {
      for await (const batch of { [Symbol.asyncIterator]: () => lines }) {
        for (const line of batch) recent.push(line);
        yield batch.map(lineKey);
      }
    }
    try {
      const pending = await skipSeen(log, keyed());
      // More was written between the two readings than the second one gives: start over with all.
      if (pending === undefined && isPart) {
        yield opened;
        return;
      }
      // Never more than once, else what is there would be shown for ever.
      const rest = pending ?? position.after(recent.map(lineKey));
      yield opened;
      if (pending) position.pass(pending);
      yield* some(takeLast(recent, rest.length));
      yield* passed(lines);
    } finally {
      await lines.return(undefined);
    }
  }

  try {
    for await (const seen of follow({ ...others, open })) {
      if (seen.kind === "item") {
        for (const item of seen.item) yield { kind: "item", item };
        continue;
      }
      const { missing, cut } = position.interrupt(seen.reason);
      if (cut !== undefined) yield { kind: "item", item: cut };
      yield { ...seen, missing };
    }
  } catch (error) {
    const { cut } = position.interrupt("node rebooted");
    if (cut !== undefined) yield { kind: "item", item: cut };
    throw error;
  }
}

/** Longer keys are replaced by a hash: of a line that never ends, pieces of a million characters would be remembered. */
const longestKey = 1_024;

/** A key that takes little room; the same for the same key, and with certainty enough only for that. */
function shortKey(key: string): string {
  if (key.length <= longestKey) return key;
  let [one, other] = [0x811c9dc5, 0x9e3779b9];
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b) + 1;
  }
  return `${key.length}:${one}:${other}`;
}

function takeLast(lines: readonly string[], count: number): readonly string[] {
  return lines.slice(lines.length - count);
}

function some(lines: readonly string[]): readonly (readonly string[])[] {
  return lines.length === 0 ? [] : [lines];
}

async function* chain<T>(first: T, others: AsyncIterator<T>) {
  yield first;
  yield* { [Symbol.asyncIterator]: () => others };
}

const remembered = 1_000;

interface LogBreak {
  /** True when lines are missing or may be. */
  readonly missing: boolean;
  /** A last line without an end whose rest cannot come any more. */
  readonly cut: string | undefined;
}

interface SeenLines {
  /** Remembers lines that are passed on. */
  readonly pass: (lines: readonly string[]) => void;
  /** Remembers the text after the last line end. */
  readonly cut: (text: string) => void;
  /** Starts over, since the node has a new log. */
  readonly restart: () => void;
  /**
   * Starts at the end of a log.
   *
   * @param log Its last lines.
   * @param asked How many were asked for; fewer or more mean that these are all.
   */
  readonly end: (log: readonly string[], asked: number) => void;
  /** Goes to the end of the same log. Returns lines not seen so far; all when none of those seen is there. */
  readonly after: (log: readonly string[]) => readonly string[];
  /** Reports what the last break did; once. */
  readonly interrupt: (reason: Gap["reason"]) => LogBreak;
}

/** A place before the first line of a log. */
export function positionInLog(): SeenLines {
  let seen: string[] = [];
  /** Lines before the place in the log, as long as it lost none. */
  let count = 0;
  let cut: string | undefined;
  let missing = false;

  function goTo(log: readonly string[], lines: number): void {
    seen = log.slice(-remembered);
    count = lines;
  }

  return {
    pass(lines) {
      count += lines.length;
      if (lines.length >= remembered) seen = lines.slice(-remembered);
      else seen.push(...lines);
      if (seen.length >= 2 * remembered) seen.splice(0, remembered);
    },
    cut: (text) => cut = text,
    restart: () => goTo([], 0),
    end: (log, asked) =>
      goTo(log, log.length === asked ? Infinity : log.length),
    after(log) {
      const lines = linesAfter(log, seen, count);
      missing ||= lines === undefined;
      // What is still there comes again as a whole line.
      if (lines !== undefined) cut = undefined;
      goTo(log, log.length);
      return lines ?? log;
    },
    interrupt(reason) {
      const lost = missing || reason === "node rebooted";
      const interrupt = { missing: lost, cut: lost ? cut : undefined };
      if (lost) cut = undefined;
      missing = false;
      return interrupt;
    },
  };
}

/** Follows a log across lost connections and reboots, line by line. */

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

/** Request to read a log. */
export interface LogRequest {
  /** True to follow new lines; false to stop after the last line. */
  readonly follow: boolean;
  /** Start with at least this number of last lines; `undefined` for all. */
  readonly last: number | undefined;
  readonly signal: AbortSignal;
}

/** Options of following a log. */
export interface FollowLines extends FollowOptions {
  /** Reads the log; chunks may end anywhere. */
  readonly read: (request: LogRequest) => AsyncIterable<Uint8Array>;
  /** Number of existing lines to show; default all. */
  readonly last?: number;
  /** Returns the part of a line that is stable between reads; default the whole line. */
  readonly lineKey?: (line: string) => string;
  /** Aborts on interrupt; following then stops without an error. */
  readonly signal: AbortSignal;
}

interface LogGap extends Gap {
  /** True if lines may be missing; false if the log resumes exactly. */
  readonly missing: boolean;
}

/** Minimum number of last lines to read, to find the position. */
const context = 200;

/**
 * Follows a log.
 *
 * After a lost connection the whole log is read again and lines already seen are skipped; after a reboot it is shown
 * from the start. A truncated line is shown once it is complete; if its rest is lost, the received part is shown.
 *
 * @returns Lines without LF, and a gap where the log resumes.
 * @throws The error of reading if a retry will not help.
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
      yield* passLines(
        byLines(chain(first.value, chunks), { unfinished: position.cut }),
      );
    } finally {
      await chunks.return?.();
    }
  }

  async function* fromEnd(shown: number, signal: AbortSignal) {
    const last = Math.max(shown, context);
    const log = await readWhole(last, signal);
    const keys = log.map(lineKey);
    position.end(keys, last);
    atEnd = false;
    yield* some(log.slice(Math.max(0, log.length - shown)));
    yield* behind(keys, live(last, signal), true);
  }

  async function* again(signal: AbortSignal) {
    const log = await readWhole(undefined, signal);
    const keys = log.map(lineKey);
    yield* some(takeLast(log, position.after(keys).length));
    yield* behind(keys, live(undefined, signal), false);
  }

  function readWhole(last: number | undefined, signal: AbortSignal) {
    const chunks = read({ follow: false, last, signal });
    // The last line may be incomplete; it is read again when following.
    const batches = byLines(chunks, { unfinished() {} });
    return Array.fromAsync(batches).then((lines) => lines.flat());
  }

  function live(last: number | undefined, signal: AbortSignal) {
    const chunks = read({ follow: true, last, signal });
    return byLines(chunks, { unfinished: position.cut });
  }

  async function* passLines(batches: AsyncIterable<readonly string[]>) {
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
    async function* followByKey() {
      for await (const batch of { [Symbol.asyncIterator]: () => lines }) {
        for (const line of batch) recent.push(line);
        yield batch.map(lineKey);
      }
    }
    try {
      const pending = await skipSeen(log, followByKey());
      // More lines were written between the two reads than the second returned: restart with the whole log.
      if (pending === undefined && isPart) {
        yield opened;
        return;
      }
      // At most once, else existing lines would be shown forever.
      const rest = pending ?? position.after(recent.map(lineKey));
      yield opened;
      if (pending) position.pass(pending);
      yield* some(takeLast(recent, rest.length));
      yield* passLines(lines);
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

/** Longer keys are replaced by a hash, to save memory: pieces of long lines have a million characters. */
const longestKey = 1_024;

/** Returns a short key, practically unique. */
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
  /** True if lines may be missing. */
  readonly missing: boolean;
  /** Truncated last line whose rest is lost. */
  readonly cut: string | undefined;
}

interface SeenLines {
  /** Records yielded lines. */
  readonly pass: (lines: readonly string[]) => void;
  /** Records the text after the last line break. */
  readonly cut: (text: string) => void;
  /** Resets the position for a new log. */
  readonly restart: () => void;
  /**
   * Sets the position to the end of a log.
   *
   * @param log Last lines of the log.
   * @param asked Requested number of lines; any other number means that the log is complete.
   */
  readonly end: (log: readonly string[], asked: number) => void;
  /** Moves to the end of the same log. Returns new lines; all if no seen line is in the log. */
  readonly after: (log: readonly string[]) => readonly string[];
  /** Reports the effect of the last interruption, once. */
  readonly interrupt: (reason: Gap["reason"]) => LogBreak;
}

/** Creates a position before the first line of a log. */
export function positionInLog(): SeenLines {
  let seen: string[] = [];
  /** Number of lines before the position, if the log lost none. */
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
      // The line is still in the log and is read again completely.
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

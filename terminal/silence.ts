/** Shows a waiting notice after a command was quiet for a while. */

import { formatCount } from "../lib/text/count.ts";
import { formatDuration } from "../lib/duration.ts";
import {
  type OpenCall,
  openCalls,
  type OpenWork,
  openWork,
} from "../transport/call/open_calls.ts";
import { after } from "../lib/timer.ts";
import { fitted } from "./drawing.ts";
import type { Environment, Sink } from "./environment.ts";
import type { LiveLines } from "./live_lines.ts";
import { noted } from "./terminal_text.ts";

/** An environment that records the time of the last output. */
interface BrokenSilence {
  /** The same streams; output resets the timer. */
  readonly environment: Environment;
  readonly end: () => Promise<void>;
}

/** Options for the waiting notice. */
export interface SilenceOptions {
  /**
   * Display names of nodes by their names in calls: `worker-2 (10.0.0.6)`. Loaded once, for the first notice.
   * Default: names in calls.
   */
  readonly namesOf?: (
    nodes: readonly string[],
  ) => Promise<ReadonlyMap<string, string>>;
  /** Calls without a response; default those of this process. */
  readonly calls?: Iterable<OpenCall>;
  /** Work in progress; default that of this process. */
  readonly work?: Iterable<OpenWork>;
  /** Waits between checks; returns early when the signal aborts. Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Idle time before the notice appears, in milliseconds. */
const quietMs = 2_000;

/** Idle time before node names are loaded, in milliseconds. */
const namesMs = 1_000;

/** Age of a call before the notice mentions it, in milliseconds. */
const openMs = 1_000;

/** Interval between checks, in milliseconds. */
const everyMs = 500;

/** Idle times before repeating a line that cannot be redrawn, in milliseconds; the last one repeats. */
const repeatMs: readonly number[] = [8_000, 20_000, 30_000, 60_000];

/** Shortest interval between such lines, in milliseconds. */
const changeMs = 4_000;

/** Sequence that enters full-screen mode. */
const wholeScreen = new TextEncoder().encode("\x1b[?1049h");

/**
 * Shows pending nodes and work in progress while there is no other output, drawing or question: as a line at the
 * bottom of a terminal; elsewhere as lines on standard error, on changes and at intervals.
 *
 * @param given Streams and lines at the bottom of the terminal.
 */
export function withWaitingNotice(
  given: Environment,
  {
    namesOf,
    calls = openCalls,
    work = openWork,
    wait = untilLook,
  }: SilenceOptions = {},
): BrokenSilence {
  const { live, now, pager } = given;
  const stop = new AbortController();
  let saidAt = now().getTime();
  // Questions and drawings of the command itself.
  let questions = 0;
  let isDrawing = false;
  // True while the notice is drawn.
  let isDrawn = false;
  let names: ReadonlyMap<string, string> = new Map();
  let asked: Promise<void> | undefined;
  // First sighting of each, in milliseconds since 1970.
  const seen = new WeakMap<OpenCall | OpenWork, number>();

  function said(): void {
    saidAt = now().getTime();
  }

  function heard(sink: Sink, isSeen: boolean): Sink {
    return {
      ...sink,
      write(bytes) {
        if (isSeen) said();
        // A full-screen view draws alone.
        if (startsWith(bytes, wholeScreen)) stop.abort();
        return sink.write(bytes);
      },
    };
  }

  const drawn: LiveLines | undefined = live && {
    ...live,
    draw(lines, latest) {
      isDrawing = lines.length > 0;
      isDrawn = false;
      said();
      return live.draw(lines, latest);
    },
    leave() {
      isDrawing = false;
      said();
      return live.leave();
    },
    async alone(work) {
      questions++;
      // Drawn lines stay above a question.
      if (isDrawn) await live.draw([]);
      isDrawn = false;
      try {
        return await live.alone(work);
      } finally {
        questions--;
        said();
      }
    },
  };

  function since(one: OpenCall | OpenWork, at: number): number {
    const from = seen.get(one) ?? at;
    if (from === at) seen.set(one, at);
    return at - from;
  }

  /** Pending calls or work, and for how long; empty during other output. */
  function waited(): Waited {
    const at = now().getTime();
    // Each request of a poll, such as a wait for a state, is answered.
    const all = [...calls].filter((call) => since(call, at) >= openMs);
    const [longest] = all.map((call) => since(call, at));
    const last = [...work].map((one) => ({ one, ms: since(one, at) })).at(-1);
    if (at - saidAt < namesMs || isDrawing || questions > 0) return nothing;
    const nodes = [...new Set(all.map(({ node }) => node))].filter(Boolean);
    if (nodes.length > 0) {
      asked ??= namesOf?.(nodes)
        .then((found) => void (names = found), () => {});
    }
    if (at - saidAt < quietMs) return nothing;
    if (longest === undefined) {
      return last === undefined
        ? nothing
        : { subject: last.one.text(), ms: last.ms };
    }
    return { subject: waitedFor(all, names), ms: longest };
  }

  async function draw(live: LiveLines): Promise<void> {
    while (true) {
      // Checks must not overlap.
      await wait(everyMs, stop.signal);
      if (stop.signal.aborted) break;
      const text = formatWaiting(waited());
      if (isDrawing || questions > 0 || text === "" && !isDrawn) continue;
      isDrawn = text !== "";
      await live.draw(isDrawn ? [fitted(text, live.size().columns)] : []);
    }
    if (isDrawn) await live.draw([]);
  }

  async function write(): Promise<void> {
    let before = "";
    let [next, turn, last] = [0, 0, -Infinity];
    let heardAt = saidAt;
    while (true) {
      await wait(everyMs, stop.signal);
      if (stop.signal.aborted) return;
      const found = waited();
      if (found.subject === "") continue;
      const at = now().getTime();
      const isNew =
        formatState(found.subject) !== before && at > last + changeMs ||
        saidAt !== heardAt;
      if (!isNew && at < next) continue;
      last = at;
      turn = isNew ? 0 : Math.min(turn + 1, repeatMs.length - 1);
      next = at + (repeatMs[turn] ?? 0);
      [before, heardAt] = [formatState(found.subject), saidAt];
      const line = new TextEncoder().encode(`${noted(formatWaiting(found))}\n`);
      await given.stderr.write(line).catch(() => {});
    }
  }

  const followed = live === undefined ? write() : draw(live);
  const { stdout, stderr } = given;
  return {
    environment: {
      ...given,
      // Output to a file is invisible on the terminal.
      stdout: heard(stdout, stdout.terminal || !stderr.terminal),
      stderr: heard(stderr, true),
      ...drawn && { live: drawn },
      ...pager && {
        pager(command: string) {
          // The view has the terminal to itself.
          stop.abort();
          return pager(command);
        },
      },
    },
    async end() {
      stop.abort();
      await followed;
    },
  };
}

/** Like `pause`, with a timer without start-up cost: most commands finish before the first check. */
function untilLook(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const forget = after(ms, done);
    signal.addEventListener("abort", done, { once: true });
    function done(): void {
      forget();
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

interface Waited {
  /** Node or work; empty for none. */
  readonly subject: string;
  /** Duration in milliseconds. */
  readonly ms: number;
}

const nothing: Waited = { subject: "", ms: 0 };

function formatWaiting({ subject, ms }: Waited): string {
  const seconds = Math.floor(ms / 1_000);
  if (subject === "" || seconds === 0) return subject;
  return `${subject}, ${formatDuration(seconds * 1_000)}`;
}

/** Subject without its progress: a change of progress alone is no news. */
function formatState(subject: string): string {
  return subject.replaceAll(/\d+(?:\.\d+)?(?= [kMGT]?i?B\b)/g, "");
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, i) => bytes[i] === byte);
}

/**
 * Formats the longest pending node: `waiting for worker-2 (10.0.0.6): connecting`; empty for none.
 *
 * @param calls Calls without a response, the oldest first.
 * @param names Display names of nodes; default their names in calls.
 */
export function waitedFor(
  calls: readonly OpenCall[],
  names: ReadonlyMap<string, string> = new Map(),
): string {
  const [first] = calls;
  if (first === undefined) return "";
  const others = new Set(calls.map(({ node }) => node))
    .difference(new Set([first.node, ""])).size;
  const more = others === 0 ? "" : ` and ${formatCount(others, "more node")}`;
  const name = first.node === ""
    ? "the endpoint"
    : names.get(first.node) ?? first.node;
  const phase = first.isConnected ? "no answer yet" : "connecting";
  return `waiting for ${name}${more}: ${phase}`;
}

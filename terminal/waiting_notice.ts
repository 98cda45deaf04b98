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
import { fitText } from "./drawing.ts";
import type { Environment, Sink } from "./environment.ts";
import type { LiveLines } from "./live_lines.ts";
import { noteText } from "./terminal_text.ts";

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
  readonly findNames?: (
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
  options: SilenceOptions = {},
): BrokenSilence {
  const { live, stdout, stderr } = given;
  const notice = new WaitingNotice(given, options);
  const followed = live === undefined ? notice.write() : notice.draw(live);
  return {
    environment: {
      ...given,
      // Output to a file is invisible on the terminal.
      stdout: notice.listen(stdout, stdout.terminal || !stderr.terminal),
      stderr: notice.listen(stderr, true),
      ...live && { live: notice.listenToLines(live) },
    },
    async end() {
      notice.stop();
      await followed;
    },
  };
}

class WaitingNotice {
  readonly #environment: Environment;
  readonly #options: SilenceOptions;
  readonly #stop = new AbortController();
  /** Time of the last output, in milliseconds since 1970. */
  #outputAt: number;
  // Questions and drawings of the command itself.
  #questions = 0;
  #isDrawing = false;
  /** True while the notice is drawn. */
  #isDrawn = false;
  #names: ReadonlyMap<string, string> = new Map();
  #namesLoading: Promise<void> | undefined;
  /** First sighting of each, in milliseconds since 1970. */
  readonly #seen = new WeakMap<OpenCall | OpenWork, number>();

  constructor(environment: Environment, options: SilenceOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#outputAt = this.#now();
  }

  stop(): void {
    this.#stop.abort();
  }

  /** The same sink; its output resets the timer if it is visible. */
  listen(sink: Sink, isVisible: boolean): Sink {
    return {
      ...sink,
      write: (bytes) => {
        if (isVisible) this.#noteOutput();
        // A full-screen view draws alone.
        if (startsWith(bytes, wholeScreen)) this.stop();
        return sink.write(bytes);
      },
    };
  }

  /** The same lines; drawings and questions reset the timer. */
  listenToLines(live: LiveLines): LiveLines {
    return {
      ...live,
      draw: (lines, latest) => {
        this.#isDrawing = lines.length > 0;
        this.#isDrawn = false;
        this.#noteOutput();
        return live.draw(lines, latest);
      },
      leave: () => {
        this.#isDrawing = false;
        this.#noteOutput();
        return live.leave();
      },
      alone: async (work) => {
        this.#questions++;
        // Drawn lines stay above a question.
        if (this.#isDrawn) await live.draw([]);
        this.#isDrawn = false;
        try {
          return await live.alone(work);
        } finally {
          this.#questions--;
          this.#noteOutput();
        }
      },
    };
  }

  /** Draws the notice at the bottom of a terminal, until it is stopped. */
  async draw(live: LiveLines): Promise<void> {
    while (await this.#untilCheck()) {
      const text = formatWaiting(this.#waited());
      if (this.#isBusy() || text === "" && !this.#isDrawn) continue;
      this.#isDrawn = text !== "";
      await live.draw(
        this.#isDrawn ? [fitText(text, live.size().columns)] : [],
      );
    }
    if (this.#isDrawn) await live.draw([]);
  }

  /** Writes lines to standard error, until it is stopped. */
  async write(): Promise<void> {
    let before = "";
    let [next, turn, last] = [0, 0, -Infinity];
    let outputAt = this.#outputAt;
    while (await this.#untilCheck()) {
      const found = this.#waited();
      if (found.subject === "") continue;
      const at = this.#now();
      const isNew =
        formatState(found.subject) !== before && at > last + changeMs ||
        this.#outputAt !== outputAt;
      if (!isNew && at < next) continue;
      last = at;
      turn = isNew ? 0 : Math.min(turn + 1, repeatMs.length - 1);
      next = at + (repeatMs[turn] ?? 0);
      [before, outputAt] = [formatState(found.subject), this.#outputAt];
      const line = new TextEncoder().encode(
        `${noteText(formatWaiting(found))}\n`,
      );
      await this.#environment.stderr.write(line).catch(() => {});
    }
  }

  #now(): number {
    return this.#environment.now().getTime();
  }

  #noteOutput(): void {
    this.#outputAt = this.#now();
  }

  #isBusy(): boolean {
    return this.#isDrawing || this.#questions > 0;
  }

  /** Waits until the next check; false when the notice was stopped. Checks must not overlap. */
  async #untilCheck(): Promise<boolean> {
    const { wait = untilLook } = this.#options;
    await wait(everyMs, this.#stop.signal);
    return !this.#stop.signal.aborted;
  }

  /** Pending calls or work, and for how long; empty during other output. */
  #waited(): Waited {
    const { calls = openCalls, work = openWork, findNames } = this.#options;
    const at = this.#now();
    // Each request of a poll, such as a wait for a state, is answered.
    const all = [...calls].filter((call) => this.#age(call, at) >= openMs);
    const [first] = all;
    const last = [...work].map((one) => ({ one, ms: this.#age(one, at) }))
      .at(-1);
    const quiet = at - this.#outputAt;
    if (quiet < namesMs || this.#isBusy()) return nothing;
    const nodes = [...new Set(all.map(({ node }) => node))].filter(Boolean);
    if (nodes.length > 0) {
      this.#namesLoading ??= findNames?.(nodes)
        .then((found) => void (this.#names = found), () => {});
    }
    if (quiet < quietMs) return nothing;
    if (first !== undefined) {
      const { timeoutMs } = first;
      const ms = this.#age(first, at);
      return { subject: waitedFor(all, this.#names), ms, timeoutMs };
    }
    return last ? { subject: last.one.text(), ms: last.ms } : nothing;
  }

  #age(one: OpenCall | OpenWork, at: number): number {
    const from = this.#seen.get(one) ?? at;
    if (from === at) this.#seen.set(one, at);
    return at - from;
  }
}

/** Like `pause`, with a timer without start-up cost: most commands finish before the first check. */
function untilLook(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const forget = after(ms, endNotice);
    signal.addEventListener("abort", endNotice, { once: true });
    function endNotice(): void {
      forget();
      signal.removeEventListener("abort", endNotice);
      resolve();
    }
  });
}

interface Waited {
  /** Node or work; empty for none. */
  readonly subject: string;
  /** Duration in milliseconds. */
  readonly ms: number;
  /** Timeout in milliseconds; absent or infinite if there is none. */
  readonly timeoutMs?: number;
}

const nothing: Waited = { subject: "", ms: 0 };

function formatWaiting({ subject, ms, timeoutMs = Infinity }: Waited): string {
  const seconds = Math.floor(ms / 1_000);
  if (subject === "" || seconds === 0) return subject;
  const timeout = Number.isFinite(timeoutMs)
    ? ` (timeout ${formatDuration(timeoutMs)})`
    : "";
  return `${subject}, ${formatDuration(seconds * 1_000)}${timeout}`;
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

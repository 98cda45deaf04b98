/** Streams, environment variables and clock as a value; those of this process are made here. */

import { systemReason } from "../lib/files/system_reason.ts";
import { writeAll } from "../lib/files/write_all.ts";
import { type ExitStatus, OsctlError } from "../errors.ts";
import { keepInterruptHandler } from "../interrupts.ts";
import type { LiveLines } from "./live_lines.ts";
import { onReaderGone } from "./reader_gone.ts";

/** A stream that people or programs read. */
export interface Sink {
  readonly terminal: boolean;
  /** Width in columns, `undefined` when it is neither a terminal nor given by `OSCTL_COLUMNS`. */
  readonly columns: () => number | undefined;
  /** Height in rows; absent where nothing is drawn. */
  readonly rows?: () => number | undefined;
  /**
   * Writes all bytes.
   *
   * @throws {Deno.errors.BrokenPipe} When the reader is gone.
   * @throws {OsctlError} When it takes no more, as a file on a full disk does.
   */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /**
   * Calls back once when the reader is gone, also while nothing is written, until the returned function is called;
   * absent where that cannot be seen.
   */
  readonly onReaderGone?: (act: () => void) => () => void;
  /** Hears what was typed behind the last text, without its end; absent where nothing is drawn. */
  readonly typed?: (line: string) => void;
}

/** Size of a terminal in characters. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A terminal a program may draw on freely. */
interface Screen {
  readonly size: () => Size;
  /** Makes keys arrive one by one and unseen, or ends that; Ctrl-C interrupts anyway. */
  readonly raw: (on: boolean) => void;
  /** Reports what happens to the terminal until the returned function is called; absent where nothing does. */
  readonly listen?: (events: ScreenEvents) => () => void;
}

/** What happens to a terminal while it is drawn on. */
export interface ScreenEvents {
  readonly resized: () => void;
  /** The process is about to be stopped with Ctrl-Z; leaves the terminal as it was. */
  readonly suspended: () => Promise<void>;
  /** The process runs in the foreground again. */
  readonly resumed: () => void;
  readonly closed: () => void;
  /** What to write when the process ends without a chance to do anything else, as after a crash. */
  readonly restore: string;
}

interface RunningPager {
  /** Gives it text. Throws `Deno.errors.BrokenPipe` when the reader has left it. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Ends the text, and waits until the reader leaves. */
  readonly close: () => Promise<void>;
}

/** Everything a command may use that is not a parameter of it. */
export interface Environment {
  /** Data only. */
  readonly stdout: Sink;
  /** Everything for people who wait. */
  readonly stderr: Sink;
  readonly stdin: {
    readonly terminal: boolean;
    /** Bytes until the end of input. */
    readonly readable: ReadableStream<Uint8Array>;
  };
  /** The terminal as a whole; absent unless input and output are one. */
  readonly screen?: Screen;
  /** Lines at the bottom of the terminal; absent unless standard error is one. */
  readonly live?: LiveLines;
  /** Starts a pager on the terminal; absent where there is none. `command`: as a shell reads it. */
  readonly pager?: (command: string) => RunningPager;
  /** Value of an environment variable. */
  readonly env: (name: string) => string | undefined;
  readonly now: () => Date;
  /** Operating system: `linux`, `darwin`, `windows`. */
  readonly os: string;
  /** How many cores there are to compute on; default one. */
  readonly cores?: number;
}

/** A request of the system or the user that the process ends. */
export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Takes a signal. Returns status to end the process with at once; `undefined` when it continues. */
export type ClaimedSignal = (signal: SignalName) => ExitStatus | undefined;

/**
 * Takes over what signals mean, for a command that must not be interrupted; its own `signal` does not abort any more.
 *
 * @param take Called with each.
 */
export type ClaimSignals = (take: ClaimedSignal) => void;

/** The environment of this process. */
export function realEnvironment(): Environment {
  return {
    stdout: {
      ...sink(Deno.stdout, "standard output", "/dev/stdout"),
      ...!Deno.stdout.isTerminal() && {
        onReaderGone: (act) => onReaderGone(1, act),
      },
    },
    stderr: sink(Deno.stderr, "standard error", "/dev/stderr"),
    stdin: {
      terminal: Deno.stdin.isTerminal(),
      // A getter, since touching the stream of a terminal starts reading it.
      get readable() {
        return Deno.stdin.readable;
      },
    },
    ...(Deno.stdin.isTerminal() && Deno.stdout.isTerminal()
      ? { screen: realScreen() }
      : {}),
    ...Deno.stdout.isTerminal() && Deno.build.os !== "windows"
      ? { pager: startPager }
      : {},
    env: (name) => Deno.env.get(name),
    now: () => new Date(),
    os: Deno.build.os,
    cores: navigator.hardwareConcurrency,
  };
}

function startPager(command: string): RunningPager {
  // As for git: what fits leaves at once, colours stay, and so does the text.
  const less = Deno.env.get("LESS") ?? "FRX";
  const child = new Deno.Command("sh", {
    args: ["-c", command],
    env: { LESS: less },
    stdin: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  // An interrupt is for the pager, which would be left alone on the terminal.
  const ignore = () => {};
  Deno.addSignalListener("SIGINT", ignore);
  return {
    write: (bytes) => writer.write(bytes),
    async close() {
      await writer.close().catch(() => {});
      await child.status;
      Deno.removeSignalListener("SIGINT", ignore);
    },
  };
}

function realScreen(): Screen {
  // Windows knows no mode in which Ctrl-C still interrupts.
  const options = { cbreak: Deno.build.os !== "windows" };
  return {
    size: () => ({ columns: 80, rows: 24, ...sizeNow() }),
    raw: (on) => Deno.stdin.setRaw(on, options),
    listen: listenToTerminal,
  };
}

function listenToTerminal(events: ScreenEvents): () => void {
  const { resized, resumed, closed, restore } = events;

  async function suspended(): Promise<void> {
    await events.suspended();
    Deno.kill(Deno.pid, "SIGSTOP");
  }

  function ended(): void {
    try {
      Deno.stdin.setRaw(false);
      Deno.stdout.writeSync(new TextEncoder().encode(restore));
    } catch {
      // A terminal that was closed needs nothing.
    }
  }

  const signals: readonly (readonly [Deno.Signal, () => void])[] =
    Deno.build.os === "windows" ? [["SIGWINCH", resized]] : [
      ["SIGWINCH", resized],
      ["SIGTSTP", suspended],
      ["SIGCONT", resumed],
      ["SIGHUP", closed],
    ];
  const ends = ["unload", "error", "unhandledrejection"];
  // An end by the system would leave the terminal as the screen has set it.
  const forget = keepInterruptHandler();
  for (const [name, act] of signals) Deno.addSignalListener(name, act);
  for (const name of ends) globalThis.addEventListener(name, ended);
  return () => {
    forget();
    for (const [name, act] of signals) Deno.removeSignalListener(name, act);
    for (const name of ends) globalThis.removeEventListener(name, ended);
  };
}

/** In bytes; finding out where they go takes as long as writing as many. */
const large = 32 * 1024;

function sink(
  stream: Pick<typeof Deno.stdout, "write" | "writeSync" | "isTerminal">,
  name: string,
  path: string,
): Sink {
  const terminal = stream.isTerminal();
  let isReady: boolean | undefined;
  return {
    terminal,
    columns: () => terminal ? sizeNow().columns : givenColumns(),
    rows: () => terminal ? sizeNow().rows : undefined,
    async write(bytes) {
      try {
        let rest = bytes;
        if (bytes.length >= large) isReady ??= alwaysReady(path);
        // Small ones between large ones as well.
        while (isReady && rest.length > 0) {
          rest = rest.subarray(stream.writeSync(rest));
        }
        await writeAll(stream, rest);
      } catch (cause) {
        throw cause instanceof Deno.errors.BrokenPipe
          ? cause
          : notWritten(name, cause);
      }
    },
  };
}

/**
 * Whether nobody has to read before more can be written: a file, or the null device. Then a write takes less time than
 * handing it to another thread does.
 */
function alwaysReady(path: string): boolean {
  try {
    const { isFile, isCharDevice, rdev } = Deno.statSync(path);
    return isFile ||
      isCharDevice === true && rdev === Deno.statSync("/dev/null").rdev;
  } catch {
    return false; // there is no such name here
  }
}

function notWritten(name: string, cause: unknown): OsctlError {
  return new OsctlError(`Cannot write to ${name}: ${systemReason(cause)}`, {
    cause,
    hint: "The output is incomplete",
  });
}

/** Width to write pipes and files in, for logs and pages that are no wider. */
function givenColumns(): number | undefined {
  const columns = Number(Deno.env.get("OSCTL_COLUMNS"));
  return Number.isInteger(columns) && columns > 0 ? columns : undefined;
}

/**
 * A terminal that was closed has no size, and a process that was detached from it continues; one of no columns or rows is one
 * that does not tell.
 */
function sizeNow(): Partial<Size> {
  try {
    const { columns, rows } = Deno.consoleSize();
    return {
      ...columns > 0 && { columns },
      ...rows > 0 && { rows },
    };
  } catch {
    return {};
  }
}

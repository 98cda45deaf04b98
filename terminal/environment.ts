/** Streams, environment variables and clock of a command, and the implementation for this process. */

import { systemReason } from "../lib/files/system_reason.ts";
import { writeAll } from "../lib/files/write_all.ts";
import { type ExitStatus, OsctlError } from "../errors.ts";
import { keepInterruptHandler } from "../interrupts.ts";
import type { LiveLines } from "./live_lines.ts";
import { onReaderGone } from "./closed_pipe.ts";
import { pipeRoom } from "./pipe_room.ts";

/** An output stream. */
export interface Sink {
  readonly terminal: boolean;
  /** Width in columns; `undefined` without a terminal or `OSCTL_COLUMNS`. */
  readonly columns: () => number | undefined;
  /** Height in rows; absent without a terminal. */
  readonly rows?: () => number | undefined;
  /**
   * Writes all bytes.
   *
   * @throws {Deno.errors.BrokenPipe} If the reader is gone.
   * @throws {OsctlError} If it accepts no more data, such as a file on a full disk.
   */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /**
   * Calls back once when the reader is gone, even without a write, until the returned function is called;
   * absent if that cannot be detected.
   */
  readonly onReaderGone?: (act: () => void) => () => void;
  /** Receives the line typed after the last text, without its line end; absent without a terminal. */
  readonly typed?: (line: string) => void;
}

/** Size of a terminal in characters. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A terminal for full-screen views. */
interface Screen {
  readonly size: () => Size;
  /**
   * Enables or disables raw input: single keys without echo. Ctrl-C still interrupts, unless `keys` is `all`: then
   * it is input like any other key.
   */
  readonly raw: (on: boolean, keys?: "all") => void;
  /** Subscribes to terminal events until the returned function is called; absent if there are none. */
  readonly listen?: (events: ScreenEvents) => () => void;
}

/** Events of a terminal during a full-screen view. */
export interface ScreenEvents {
  readonly resized: () => void;
  /** Ctrl-Z is about to suspend the process; restores the terminal. */
  readonly suspended: () => Promise<void>;
  /** The process is in the foreground again. */
  readonly resumed: () => void;
  readonly closed: () => void;
  /** Output that restores the terminal when the process ends abruptly, as after a crash. */
  readonly restore: string;
}

interface RunningPager {
  /** Writes text. Throws `Deno.errors.BrokenPipe` if the reader has quit. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Ends the input and waits until the reader quits. */
  readonly close: () => Promise<void>;
}

/** Everything a command uses besides its parameters. */
export interface Environment {
  /** Data only. */
  readonly stdout: Sink;
  /** Messages for users. */
  readonly stderr: Sink;
  readonly stdin: {
    readonly terminal: boolean;
    /** Input bytes. */
    readonly readable: ReadableStream<Uint8Array>;
    /** True to discard lines typed before a question is shown: they cannot be meant as its answer. */
    readonly discardsEarly?: boolean;
  };
  /** Full-screen access; absent unless input and output are a terminal. */
  readonly screen?: Screen;
  /** Lines at the bottom of the terminal; absent unless standard error is a terminal. */
  readonly live?: LiveLines;
  /** Starts a pager on the terminal; absent if there is none. `command`: in shell syntax. */
  readonly pager?: (command: string) => RunningPager;
  /** Value of an environment variable. */
  readonly env: (name: string) => string | undefined;
  readonly now: () => Date;
  /** Operating system: `linux`, `darwin`, `windows`. */
  readonly os: string;
  /** Number of cores; default one. */
  readonly cores?: number;
}

/** Signals that ask the process to end. */
export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Handles a signal. Returns the status to exit with at once; `undefined` to continue. */
export type ClaimedSignal = (signal: SignalName) => ExitStatus | undefined;

/**
 * Takes over signals, for a command that must not be interrupted; its own `signal` no longer aborts.
 *
 * @param take Called with each signal.
 */
export type ClaimSignals = (take: ClaimedSignal) => void;

/** The environment of this process. */
export function realEnvironment(): Environment {
  return {
    stdout: {
      ...sink(Deno.stdout, "standard output", 1),
      ...!Deno.stdout.isTerminal() && {
        onReaderGone: (act) => onReaderGone(1, act),
      },
    },
    stderr: sink(Deno.stderr, "standard error", 2),
    stdin: {
      terminal: Deno.stdin.isTerminal(),
      discardsEarly: Deno.stdin.isTerminal(),
      // A getter, because accessing the stream of a terminal starts reading it.
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
  // As in git: quit if one screen, keep colours and text.
  const less = Deno.env.get("LESS") ?? "FRX";
  const child = new Deno.Command("sh", {
    args: ["-c", command],
    env: { LESS: less },
    stdin: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  // Interrupts are for the pager, which must not be left alone on the terminal.
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
  // Windows has no mode in which Ctrl-C still interrupts.
  const canInterrupt = Deno.build.os !== "windows";
  return {
    size: () => ({ columns: 80, rows: 24, ...sizeNow() }),
    raw: (on, keys) =>
      Deno.stdin.setRaw(on, { cbreak: canInterrupt && keys !== "all" }),
    listen: listenToTerminal,
  };
}

function listenToTerminal(events: ScreenEvents): () => void {
  const { resized, resumed, closed, restore } = events;

  async function suspend(): Promise<void> {
    await events.suspended();
    Deno.kill(Deno.pid, "SIGSTOP");
  }

  function restoreTerminal(): void {
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
      ["SIGTSTP", suspend],
      ["SIGCONT", resumed],
      ["SIGHUP", closed],
    ];
  const ends = ["unload", "error", "unhandledrejection"];
  // The default action of a signal would leave the terminal in full-screen mode.
  const forget = keepInterruptHandler();
  for (const [name, act] of signals) Deno.addSignalListener(name, act);
  for (const name of ends) globalThis.addEventListener(name, restoreTerminal);
  return () => {
    forget();
    for (const [name, act] of signals) Deno.removeSignalListener(name, act);
    for (const name of ends) {
      globalThis.removeEventListener(name, restoreTerminal);
    }
  };
}

/** In bytes; checking the target takes as long as writing this many. */
const large = 32 * 1024;

function sink(
  stream: Pick<typeof Deno.stdout, "write" | "writeSync" | "isTerminal">,
  name: string,
  fd: number,
): Sink {
  const terminal = stream.isTerminal();
  // Read once: views ask for each row.
  const given = terminal ? undefined : givenColumns();
  let fits: ((bytes: number) => boolean) | undefined;
  return {
    terminal,
    columns: () => terminal ? sizeNow().columns : given,
    rows: () => terminal ? sizeNow().rows : undefined,
    async write(bytes) {
      try {
        let rest = bytes;
        if (bytes.length >= large) {
          fits ??= isReady(fd) ? () => true : pipeRoom(fd) ?? (() => false);
        }
        // Also for small writes between large ones.
        while (rest.length > 0 && fits?.(rest.length)) {
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
 * Reports whether writes never block: a file, or the null device. Then a direct write is faster than
 * handing it to another thread.
 */
function isReady(fd: number): boolean {
  try {
    const { isFile, isCharDevice, rdev } = Deno.statSync(`/dev/fd/${fd}`);
    return isFile ||
      isCharDevice === true && rdev === Deno.statSync("/dev/null").rdev;
  } catch {
    return false; // no such path
  }
}

function notWritten(name: string, cause: unknown): OsctlError {
  return new OsctlError(`Cannot write to ${name}: ${systemReason(cause)}`, {
    cause,
    hint: "The output is incomplete",
  });
}

/** Width for pipes and files, such as logs and pages. */
function givenColumns(): number | undefined {
  const columns = Number(Deno.env.get("OSCTL_COLUMNS"));
  return Number.isInteger(columns) && columns > 0 ? columns : undefined;
}

/** A closed terminal has no size, and a detached process continues; zero columns or rows mean an unknown size. */
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

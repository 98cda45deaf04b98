/** Wishes to stop, from signals and from other terminals: the first ends what waits, the second waits for nothing. */

import type { SignalName } from "../../_kit/command.ts";
import type { Stop } from "../../../workflows/runbooks/engine/surroundings.ts";

/** A wish that can be made. */
export interface Stopping extends Stop, Disposable {
  /**
   * Makes the next wish.
   *
   * @param why What made it: `interrupt`, `stop`, `terminated`.
   * @param hard True when nothing is to be waited for.
   */
  readonly wish: (why: string, hard?: boolean) => void;
  /** Takes a signal. */
  readonly signalled: (signal: SignalName) => void;
  /** What made the first wish; empty before it. */
  readonly why: () => string;
  /** Signal that made nothing to be waited for; absent when none did. */
  readonly abandonedBy: () => SignalName | undefined;
}

/** How signals are taken. */
export interface StoppingOptions {
  /** Time to reach a safe point after SIGTERM, in milliseconds. */
  readonly graceMs: number;
  /** True when a closed terminal is no wish to stop. */
  readonly detach: boolean;
  /** Called with the first wish. */
  readonly begun: (why: string) => void;
  /** Ends the process at once. */
  readonly exit: (signal: SignalName) => void;
}

const reasons: Readonly<Record<SignalName, string>> = {
  SIGINT: "interrupt",
  SIGTERM: "terminated",
  SIGHUP: "the terminal was closed",
};

/** Makes what takes wishes to stop. */
export function stopping(options: StoppingOptions): Stopping {
  const { graceMs, detach, begun, exit } = options;
  const soft = new AbortController();
  const hard = new AbortController();
  let first = "";
  let abandoned: SignalName | undefined;
  let limit: ReturnType<typeof setTimeout> | undefined;

  function wish(why: string, isHard = false): void {
    if (!soft.signal.aborted) {
      first = why;
      soft.abort();
      begun(why);
      if (!isHard) return;
    }
    if (isHard) hard.abort();
  }

  function signalled(signal: SignalName): void {
    if (signal === "SIGHUP" && detach) return;
    if (hard.signal.aborted) return exit(signal);
    if (soft.signal.aborted) {
      abandoned = signal;
      return hard.abort();
    }
    wish(reasons[signal]);
    if (signal === "SIGINT") return;
    limit = setTimeout(() => {
      if (hard.signal.aborted) return;
      abandoned = signal;
      hard.abort();
    }, graceMs);
  }

  return {
    soft: soft.signal,
    hard: hard.signal,
    wish,
    signalled,
    why: () => first,
    abandonedBy: () => abandoned,
    [Symbol.dispose]: () => clearTimeout(limit),
  };
}

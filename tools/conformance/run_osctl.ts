/** Runs osctl in this process, for test tools. */

import { entries } from "../../commands/_index.ts";
import { complete } from "../../commands/_kit/completion.ts";
import { lazyNodes, main } from "../../commands/_kit/main.ts";
import { openSession } from "../../commands/_kit/session.ts";
import { CancelledError } from "../../errors.ts";
import { realEnvironment } from "../../terminal/environment.ts";

/** Output and status of a command line. */
export interface Answer {
  readonly out: string;
  readonly err: string;
  readonly status: number;
}

/** Runs a command line without `osctl`. */
export type RunOsctl = (...words: readonly string[]) => Promise<Answer>;

/** Timeout for the first output of a stream, in milliseconds. */
const quietMs = 20_000;

/** Reports whether a command line runs forever. `words`: without `osctl`. */
export function isStream(words: readonly string[]): boolean {
  return words[0] === "events" ||
    words.some((word) => word === "--follow" || word === "--watch");
}

/** Runs osctl in this process; interrupts streams after their first output. */
export function osctlWith(osconfig: string | undefined): RunOsctl {
  return async (...words) => {
    const printed = { out: "", err: "" };
    const stop = new AbortController();
    const interrupt = () => stop.abort(new CancelledError());
    const ends = isStream(words);
    const timer = ends ? setTimeout(interrupt, quietMs) : undefined;
    const sink = (name: keyof typeof printed) => {
      const decoder = new TextDecoder();
      return {
        terminal: false,
        columns: () => undefined,
        write(bytes: Uint8Array) {
          printed[name] += decoder.decode(bytes, { stream: true });
          if (ends && name === "out") interrupt();
          return Promise.resolve();
        },
      };
    };
    const configured = osconfig === undefined ? [] : ["--osconfig", osconfig];
    const status = await main([...words, ...configured], {
      entries,
      environment: {
        ...realEnvironment(),
        stdout: sink("out"),
        stderr: sink("err"),
      },
      open: (request) => lazyNodes(() => openSession(request)),
      readFile: (path) => Deno.readTextFile(path),
      complete,
      signal: stop.signal,
    });
    clearTimeout(timer);
    return { ...printed, status };
  };
}

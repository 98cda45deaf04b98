/** Questions to the user: on standard error, answered by lines of standard input. */

import { RefusedError } from "../errors.ts";
import type { Environment, Sink } from "./environment.ts";

/** Asks questions one at a time. */
export interface Prompter extends Disposable {
  /**
   * Asks a question.
   *
   * @returns The trimmed line; `undefined` at the end of input.
   * @throws Abort reason of the signal.
   */
  readonly ask: (question: string) => Promise<string | undefined>;
}

/** Streams and signal for questions. */
export interface PromptOptions {
  /** Standard error and input; lines at the bottom of the terminal wait for the answer. */
  readonly environment: Pick<Environment, "stdin" | "stderr" | "live">;
  /** Aborts the wait for an answer. */
  readonly signal: AbortSignal;
}

const longest = 4096;

/** Time in which a terminal delivers lines that were typed before, in milliseconds. */
const earlyMs = 20;

/** Creates a prompter; reads nothing before the first question. */
export function prompter({ environment, signal }: PromptOptions): Prompter {
  const { stdin, stderr, live } = environment;
  const decoder = new TextDecoder();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let pending = "";
  let reading: Promise<ReadableStreamReadResult<Uint8Array>> | undefined;

  function read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    reader ??= stdin.readable.getReader();
    return reading ??= reader.read();
  }

  async function discardEarly(): Promise<void> {
    if (stdin.discardsEarly !== true) return;
    pending = "";
    for (;;) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const quiet = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, earlyMs, undefined);
      });
      const early = await Promise.race([read(), quiet]);
      clearTimeout(timer);
      if (early === undefined || early.done) return;
      reading = undefined;
    }
  }

  async function line(): Promise<string | undefined> {
    for (;;) {
      const split = splitLine(pending);
      if (split !== undefined) {
        pending = split.rest;
        return split.line;
      }
      if (pending.length > longest) throw tooLong();
      const { value, done } = await untilAborted(read(), signal);
      reading = undefined;
      if (done) {
        const last = pending.trim();
        pending = "";
        return last === "" ? undefined : last;
      }
      pending += decoder.decode(value, { stream: true });
    }
  }

  async function askAt(
    { write, typed }: Pick<Sink, "write" | "typed">,
    question: string,
  ): Promise<string | undefined> {
    await discardEarly();
    await write(new TextEncoder().encode(question));
    let answered = false;
    try {
      const answer = await line();
      answered = answer !== undefined;
      if (answer !== undefined && stdin.terminal) typed?.(answer);
      return answer;
    } finally {
      // A terminal echoes the typed line end; other input needs one.
      if (!answered || !stdin.terminal) {
        await write(new TextEncoder().encode("\n"));
      }
    }
  }

  return {
    ask: (question) =>
      live?.alone((sink) => askAt(sink, question)) ?? askAt(stderr, question),
    [Symbol.dispose]: () => reader?.releaseLock(),
  };
}

/**
 * Asks for yes or no.
 *
 * @param question Text without the choices; anything but yes means no.
 * @param hint Alternative to the question, for the error without an answer.
 * @throws {RefusedError} At the end of input.
 */
export async function confirm(
  prompts: Prompter,
  question: string,
  hint: string,
): Promise<boolean> {
  const answer = await prompts.ask(`${question}? (y/N): `);
  if (answer === undefined) throw unansweredError(question, hint);
  return isYes(answer);
}

/**
 * Asks for one of several words, until the answer is valid.
 *
 * @param question Text without the choices.
 * @param answers Valid words; their distinct first letters are valid too.
 * @param hint Alternative to the question, for the error without an answer.
 * @throws {RefusedError} At the end of input.
 */
export async function choose<const T extends string>(
  prompts: Prompter,
  question: string,
  answers: readonly T[],
  hint: string,
): Promise<T> {
  for (;;) {
    const answer = await prompts.ask(`${question} (${answers.join("/")}): `);
    if (answer === undefined) throw unansweredError(question, hint);
    const found = matching(answer, answers);
    if (found !== undefined) return found;
  }
}

/** Reports whether an answer means yes: `y` or `yes`, in any case. `answer`: trimmed line. */
function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer);
}

/**
 * Finds the word for an answer.
 *
 * @param answer A word or prefix, in any case.
 * @returns `undefined` without a match, or with several.
 */
export function matching<T extends string>(
  answer: string,
  answers: readonly T[],
): T | undefined {
  const typed = answer.toLowerCase();
  if (typed === "") return undefined;
  const [found, ...others] = answers.filter((word) => word.startsWith(typed));
  return others.length === 0 ? found : undefined;
}

/** Splits off the first line of a text. Returns the trimmed line and the rest; `undefined` without a line end. */
function splitLine(
  text: string,
): { readonly line: string; readonly rest: string } | undefined {
  const end = text.indexOf("\n");
  if (end < 0) return undefined;
  return { line: text.slice(0, end).trim(), rest: text.slice(end + 1) };
}

/** A read of a terminal cannot be cancelled, so its result is ignored instead. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", stop));
  });
}

function unansweredError(question: string, hint: string): RefusedError {
  return new RefusedError(
    `No answer to "${question}": standard input has ended`,
    { hint },
  );
}

function tooLong(): RefusedError {
  return new RefusedError(
    `Cannot read an answer: the line is longer than ${longest} characters`,
  );
}

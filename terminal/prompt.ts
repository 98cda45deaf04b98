/** Questions to the person who waits: asked on standard error, answered by lines of standard input. */

import { RefusedError } from "../errors.ts";
import type { Environment, Sink } from "./environment.ts";

/** Asks one question after the other. */
export interface Prompter extends Disposable {
  /**
   * Asks a question.
   *
   * @returns The line without blanks around it; `undefined` when the input has ended.
   * @throws What the signal was aborted with.
   */
  readonly ask: (question: string) => Promise<string | undefined>;
}

/** Where questions go and answers come from. */
export interface PromptOptions {
  /** Standard error and input; what is drawn at the bottom of the terminal waits for the answer. */
  readonly environment: Pick<Environment, "stdin" | "stderr" | "live">;
  /** Ends the wait for an answer. */
  readonly signal: AbortSignal;
}

const longest = 4096;

/** Makes a prompter; nothing is read before the first question. */
export function prompter({ environment, signal }: PromptOptions): Prompter {
  const { stdin, stderr, live } = environment;
  const decoder = new TextDecoder();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let pending = "";

  async function line(): Promise<string | undefined> {
    for (;;) {
      const split = splitLine(pending);
      if (split !== undefined) {
        pending = split.rest;
        return split.line;
      }
      if (pending.length > longest) throw tooLong();
      reader ??= stdin.readable.getReader();
      const { value, done } = await untilAborted(reader.read(), signal);
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
    await write(new TextEncoder().encode(question));
    let answered = false;
    try {
      const answer = await line();
      answered = answer !== undefined;
      if (answer !== undefined && stdin.terminal) typed?.(answer);
      return answer;
    } finally {
      // A terminal shows the line end that was typed; all else needs one.
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
 * @param question Text without the choice; anything but yes is no.
 * @param hint How to do without the question, for when no answer comes.
 * @throws {RefusedError} When the input has ended.
 */
export async function confirm(
  prompts: Prompter,
  question: string,
  hint: string,
): Promise<boolean> {
  const answer = await prompts.ask(`${question}? (y/N): `);
  if (answer === undefined) throw unanswered(question, hint);
  return isYes(answer);
}

/**
 * Asks for one out of several words; an answer that is none of them is asked for again.
 *
 * @param question Text without the choice.
 * @param answers Words that are right; their first letters differ and are right too.
 * @param hint How to do without the question, for when no answer comes.
 * @throws {RefusedError} When the input has ended.
 */
export async function choose<const T extends string>(
  prompts: Prompter,
  question: string,
  answers: readonly T[],
  hint: string,
): Promise<T> {
  for (;;) {
    const answer = await prompts.ask(`${question} (${answers.join("/")}): `);
    if (answer === undefined) throw unanswered(question, hint);
    const found = matching(answer, answers);
    if (found !== undefined) return found;
  }
}

/** Reports whether an answer means yes: `y` or `yes`, in any case. `answer`: line without blanks around it. */
export function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer);
}

/**
 * Finds the word an answer means.
 *
 * @param answer A word or how it begins, in any case.
 * @returns `undefined` when it means none, or could mean several.
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

/**
 * Splits the first line off a text. Returns the line without blanks around it and what follows;
 * `undefined` when no line has ended.
 */
export function splitLine(
  text: string,
): { readonly line: string; readonly rest: string } | undefined {
  const end = text.indexOf("\n");
  if (end < 0) return undefined;
  return { line: text.slice(0, end).trim(), rest: text.slice(end + 1) };
}

/** Reading a terminal cannot be taken back, so the answer is no longer waited for instead. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", stop));
  });
}

function unanswered(question: string, hint: string): RefusedError {
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

/** Questions whose answers are not shown while they are typed. */

import { processMasker } from "../config/masker.ts";
import { CancelledError, RefusedError } from "../errors.ts";
import type { Environment } from "./environment.ts";

/** Longest answer in characters. */
const longest = 4096;
const erase = new Set(["\x7f", "\b"]);

/**
 * Asks for something secret at the terminal.
 *
 * @param environment Terminal, standard error and input.
 * @param signal Ends the wait for an answer.
 * @returns What was typed; `undefined` where there is no terminal, or the input has ended.
 * @throws {RefusedError} If the answer is too long.
 * @throws What the signal was aborted with.
 */
export async function askHidden(
  { screen, stdin, stderr }: Pick<Environment, "screen" | "stdin" | "stderr">,
  question: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (screen === undefined) return undefined;
  const write = (text: string) => stderr.write(new TextEncoder().encode(text));
  await write(question);
  const reader = stdin.readable.getReader();
  const stop = () => reader.releaseLock();
  signal.addEventListener("abort", stop, { once: true });
  screen.raw(true);
  try {
    signal.throwIfAborted();
    const answer = await typed(reader);
    if (answer !== undefined) processMasker.add(answer);
    return answer;
  } catch (error) {
    // A reader that was let go fails with an error of its own.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    screen.raw(false);
    reader.releaseLock();
    await write("\n");
  }
}

async function typed(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<string | undefined> {
  const decoder = new TextDecoder();
  const answer: string[] = [];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return answer.length === 0 ? undefined : answer.join("");
    for (const key of decoder.decode(value, { stream: true })) {
      if (key === "\r" || key === "\n") return answer.join("");
      if (key === "\x03") throw new CancelledError();
      if (erase.has(key)) answer.pop();
      else answer.push(key);
    }
    if (answer.length > longest) {
      throw new RefusedError(`An answer of more than ${longest} characters`, {
        hint: "Use a file instead",
      });
    }
  }
}

/** Values of a runbook's inputs: from flags, a file, the environment and the terminal. */

import { readBoundedText } from "../../../lib/files/bounded_file.ts";
import { processMasker } from "../../../lib/masker.ts";
import { CancelledError, ConfigError, RefusedError } from "../../../errors.ts";
import type { Environment } from "../../../terminal/environment.ts";
import { prompter } from "../../../terminal/prompt.ts";
import {
  type InputQuestion,
  type ResolvedInputs,
  resolveInputs,
} from "../language/resolve_inputs.ts";
import type { Runbook } from "../runbook.ts";

/** Inputs of a command line. */
export interface GivenInputs {
  /** Values, as `name=value`. */
  readonly input: readonly string[];
  readonly inputs: string | undefined;
  /** Secret values, as `name=@file` or `name=env:VARIABLE`. */
  readonly secret: readonly string[];
}

interface InputContext {
  readonly given: GivenInputs;
  /** Environment variables, and the terminal. */
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** Secret inputs that the program has, by name. */
  readonly secretValues?:
    | ReadonlyMap<string, Uint8Array<ArrayBuffer>>
    | undefined;
  /** Value of a missing required input, instead of a question; default none. */
  readonly assumed?: (name: string) => string | undefined;
}

/**
 * Finds the values of a runbook's inputs: flags, file, environment, a question at the terminal if required,
 * defaults.
 *
 * @throws {ConfigError} If values are invalid or missing; lists all of them.
 */
export async function resolveGiven(
  runbook: Runbook,
  { given, environment, signal, secretValues, assumed = () => undefined }:
    InputContext,
): Promise<ResolvedInputs> {
  const path = given.inputs;
  const isAsked = environment.stdin.terminal && environment.stderr.terminal;
  const ask = async (question: InputQuestion) =>
    assumed(question.name) ??
      (isAsked ? await askInput(question, environment, signal) : undefined);
  return await resolveInputs(runbook, {
    given: given.input,
    secrets: given.secret,
    secretValues,
    env: environment.env,
    ...(path === undefined
      ? {}
      : { file: { path, text: await readText(path) } }),
    ask,
  });
}

async function readText(path: string): Promise<string> {
  const expected = "a file with values of inputs";
  const text = await readBoundedText({ path, limitMib: 4, expected });
  if (text === undefined) throw new ConfigError(`There is no file "${path}"`);
  return text;
}

async function askInput(
  { name, summary, expected, secret }: InputQuestion,
  environment: Environment,
  signal: AbortSignal,
): Promise<string | undefined> {
  const about = summary === "" ? expected : `${summary}, ${expected}`;
  const question = `${name} (${about}): `;
  if (secret) return await askHidden(environment, question, signal);
  using prompts = prompter({ environment, signal });
  return await prompts.ask(question);
}

const longest = 4096;
const erase = new Set(["\x7f", "\b"]);

/**
 * Asks for a secret at the terminal.
 *
 * @param environment Terminal, standard error and input.
 * @param signal Aborts the prompt.
 * @returns Typed text; `undefined` without a terminal, or at the end of the input.
 * @throws {RefusedError} If the answer is too long.
 * @throws The reason of the signal.
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
    const answer = await readTyped(reader);
    if (answer !== undefined) processMasker.add(answer);
    return answer;
  } catch (error) {
    // An aborted reader fails with an error of its own.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    screen.raw(false);
    reader.releaseLock();
    await write("\n");
  }
}

async function readTyped(
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

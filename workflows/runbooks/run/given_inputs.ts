/** Values of a runbook's inputs: from flags, a file, the environment and the terminal. */

import { readBoundedText } from "../../../config/files/bounded_file.ts";
import { ConfigError } from "../../../errors.ts";
import type { Environment } from "../../../terminal/environment.ts";
import { askHidden } from "../../../terminal/hidden_input.ts";
import { prompter } from "../../../terminal/prompt.ts";
import {
  type InputQuestion,
  type ResolvedInputs,
  resolveInputs,
} from "../language/resolve_inputs.ts";
import type { Runbook } from "../runbook.ts";

/** Inputs as they are given on a command line. */
export interface GivenInputs {
  /** Values, as `name=value`. */
  readonly input: readonly string[];
  /** File with values. */
  readonly inputs: string | undefined;
  /** Secret values, as `name=@file` or `name=env:VARIABLE`. */
  readonly secret: readonly string[];
}

/** What values are looked for with. */
export interface InputContext {
  /** What was given. */
  readonly given: GivenInputs;
  /** Environment variables, and the terminal. */
  readonly environment: Environment;
  /** Ends the wait for answers. */
  readonly signal: AbortSignal;
  /** Value of a required input that was not given, instead of a question; default none. */
  readonly assumed?: (name: string) => string | undefined;
}

/**
 * Finds the values of a runbook's inputs: flags, file, environment, a question at the terminal for what is required,
 * defaults.
 *
 * @throws {ConfigError} If a value is wrong or missing; names all of them.
 */
export async function inputsOf(
  runbook: Runbook,
  { given, environment, signal, assumed = () => undefined }: InputContext,
): Promise<ResolvedInputs> {
  const path = given.inputs;
  const isAsked = environment.stdin.terminal && environment.stderr.terminal;
  const ask = async (question: InputQuestion) =>
    assumed(question.name) ??
      (isAsked ? await asked(question, environment, signal) : undefined);
  return await resolveInputs(runbook, {
    given: given.input,
    secrets: given.secret,
    env: environment.env,
    ...(path === undefined ? {} : { file: { path, text: await textOf(path) } }),
    ask,
  });
}

async function textOf(path: string): Promise<string> {
  const expected = "a file with values of inputs";
  const text = await readBoundedText({ path, limitMib: 4, expected });
  if (text === undefined) throw new ConfigError(`There is no file "${path}"`);
  return text;
}

async function asked(
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

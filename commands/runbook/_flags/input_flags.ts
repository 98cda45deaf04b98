/** Values of a runbook's inputs, from the command line. */

import { readBoundedText } from "../../../config/files/bounded_file.ts";
import { ConfigError } from "../../../errors.ts";
import {
  type InputQuestion,
  type ResolvedInputs,
  resolveInputs,
} from "../../../workflows/runbooks/language/resolve_inputs.ts";
import type { Runbook } from "../../../workflows/runbooks/runbook.ts";
import { askHidden } from "../../../terminal/hidden_input.ts";
import {
  type Environment,
  type Flag,
  stringArray,
  text,
} from "../../_kit/mod.ts";
import { prompter } from "../../../terminal/prompt.ts";

/** Flags that give values. */
export interface InputFlags {
  /** `--input`. */
  readonly input: readonly string[];
  /** `--inputs`. */
  readonly inputs: string | undefined;
  /** `--secret`. */
  readonly secret: readonly string[];
}

/** Declarations of these flags. */
export const inputFlags: {
  readonly [Name in keyof InputFlags]: Flag<InputFlags[Name]>;
} = {
  input: stringArray("value of an input, name=value", { short: "i" }),
  inputs: text("file with values of inputs, one name: value in each line", {
    complete: "files",
  }),
  secret: stringArray(
    "value of a secret input, name=@file or name=env:VARIABLE",
  ),
};

/** What values are looked for with. */
export interface InputPlaces {
  /** The flags. */
  readonly input: InputFlags;
  /** Environment, and the terminal. */
  readonly environment: Environment;
  /** Ends the wait for answers. */
  readonly signal: AbortSignal;
  /** Value of what is required and was not given, instead of a question; absent where there is none. */
  readonly assumed?: (name: string) => string | undefined;
}

/**
 * Finds the values of a runbook's inputs: flags, file, environment, for what is required a question
 * at the terminal, defaults.
 *
 * @param runbook Loaded runbook.
 * @param places Flags and environment.
 * @throws {ConfigError} If a value is wrong or missing; names all of them.
 */
export async function inputsOf(
  runbook: Runbook,
  { input, environment, signal, assumed = () => undefined }: InputPlaces,
): Promise<ResolvedInputs> {
  const path = input.inputs;
  const isAsked = environment.stdin.terminal && environment.stderr.terminal;
  const ask = async (question: InputQuestion) =>
    assumed(question.name) ??
      (isAsked ? await asked(question, environment, signal) : undefined);
  return await resolveInputs(runbook, {
    given: input.input,
    secrets: input.secret,
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

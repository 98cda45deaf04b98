/** The switches of commands that change what is printed, from their declarations: none can be forgotten. */

import assert from "node:assert/strict";
import type { AnyCommand } from "../../commands/_kit/command.ts";
import type { AnyInput } from "../../commands/_kit/inputs.ts";
import { allInputs } from "../../commands/_kit/main.ts";

type Inputs = Readonly<Record<string, AnyInput<unknown>>>;

/** A flag as it is typed: `waitTimeout` is `--wait-timeout`. */
export function toFlag(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Formats with a template, with one for all of a row. */
const templates: Readonly<Record<string, string>> = {
  "custom-columns=": "custom-columns=ALL:.",
  "jsonpath=": "jsonpath={@}",
};

/** The formats that a command prints; empty when it has one. */
export function listFormats(command: AnyCommand): readonly string[] {
  const { output }: Inputs = allInputs(command);
  return (output?.choices ?? []).map((choice) =>
    choice.endsWith("=") ? templates[choice] ?? assert.fail(choice) : choice
  );
}

export function listOutputFlags(command: AnyCommand): readonly string[] {
  const inputs: Inputs = command.inputs;
  return Object.entries(inputs).flatMap(([key, input]) => {
    if (input.role !== "flag" || key === "output") return [];
    const flag = toFlag(key);
    if (input.type === "") {
      return [input.initial === true ? `${flag}=false` : flag];
    }
    return (input.choices ?? []).map((choice) => `${flag}=${choice}`);
  });
}

export function isFile({ complete }: AnyInput<unknown>): boolean {
  return complete !== undefined &&
    ["files", "yaml", "runbooks"].includes(complete);
}

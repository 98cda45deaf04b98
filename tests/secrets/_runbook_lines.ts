/** Command lines below `runbook`, from the declarations of the commands. */

import assert from "node:assert/strict";
import { entries } from "../../commands/_index.ts";
import type { AnyInput } from "../../commands/_kit/inputs.ts";
import { listFormats, listOutputFlags, toFlag } from "./_output_flags.ts";

/** Commands below `runbook`, by the rest of their names. */
const commands = new Map(
  await Promise.all(
    entries.flatMap(({ name, load }) =>
      name.startsWith("runbook ") && load !== undefined
        ? [load().then(({ command }) => [name.slice(8), command] as const)]
        : []
    ),
  ),
);

/** Formats of one of them. */
export function formatsIn(name: string): readonly string[] {
  return listFormats(commands.get(name) ?? assert.fail(name));
}

/** Commands that other lines here run. */
const runBelow = /^(plan|run|run-or-resume|rehearse)$/;

/** Every other command below `runbook` about a run, in every format and with every other switch. */
export function linesAbout(
  { run, source, home }: Readonly<Record<"run" | "source" | "home", string>>,
): readonly (readonly string[])[] {
  const words: Readonly<Record<string, string>> = {
    ...{
      run,
      runs: run,
      tag: "t",
      step: "s",
      name: `${home}/made`,
      folder: home,
    },
    ...{ runbook: source, runbooks: source, file: source, what: "reboot" },
  };
  // Commands that remove the run come last.
  const names = [...commands.keys()].filter((name) => !runBelow.test(name))
    .toSorted((a, b) => Number(a === "gc") - Number(b === "gc"));
  return names.flatMap((name) => {
    const command = commands.get(name) ?? assert.fail(name);
    const inputs: Readonly<Record<string, AnyInput<unknown>>> = command.inputs;
    const given = Object.entries(inputs).flatMap(([key, input]) =>
      input.role === "argument"
        ? [words[key] ?? assert.fail(`${name} ${key}`)]
        : input.required
        ? [`${toFlag(key)}=${input.choices?.[0] ?? source}`]
        : []
    );
    const formats = listFormats(command);
    const variants = [
      ...formats.length === 0
        ? [[]]
        : formats.map((one) => [`--output=${one}`]),
      ...listOutputFlags(command).map((one) => [one]),
    ];
    return variants.map((
      one,
    ) => ["runbook", ...name.split(" "), ...one, ...given]);
  });
}

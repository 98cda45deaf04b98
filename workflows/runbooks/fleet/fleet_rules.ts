/** Validates a fleet beyond its shape: names, and the fit with the runbook. */

import type { Cursor } from "../../../config/documents/cursor.ts";
import { coreValue } from "../../../config/tree/core_value.ts";
import { formatExpected } from "../language/field_value.ts";
import { suggest } from "../language/match_shape.ts";
import { builtinPrefix } from "../language/loading/include.ts";
import { inputFault } from "../language/input_value.ts";
import type { LoadedRunbook } from "../language/loading/load.ts";
import type { SourceProblem } from "../language/problem.ts";
import { opening } from "../../runbook_cel/template_text.ts";
import { allSteps } from "../language/walk.ts";
import type {
  Runbook,
  RunbookInput,
  SourcePosition,
  StepOf,
} from "../runbook.ts";
import { everyTag, imageParameter } from "./fleet_language.ts";

/** Start of a template expression of Argo. */
const foreign = "{{";

/** Finds problems in a fleet of the right shape. `loaded`: the runbook of the fleet. */
export function fleetProblems(
  at: Cursor,
  loaded: LoadedRunbook,
  place: SourcePosition,
): readonly SourceProblem[] {
  const { runbook } = loaded;
  return [
    ...nameProblems(at, runbook, place),
    ...inputProblems(at.get("inputs"), runbook, place),
    ...tagProblems(at.get("yes"), runbook, place),
    ...volumeProblems(at.get("volumes"), loaded, place),
  ];
}

/**
 * Value of an input in the form of `--input`.
 *
 * @returns `undefined` when absent, or when it has no such form.
 */
export function inputText(at: Cursor): string | undefined {
  const value = coreValue(at.node);
  if (value === null) return undefined;
  if (typeof value !== "object") return String(value);
  const isTyped = Array.isArray(value) &&
    value.every((one) => typeof one === "string" && !one.includes(","));
  return isTyped ? value.join(",") : undefined;
}

function nameProblems(
  at: Cursor,
  { inputs }: Runbook,
  place: SourcePosition,
): readonly SourceProblem[] {
  const waves = at.get("waves").items();
  const clusters = waves.flatMap((wave) => {
    const own = wave.get("clusters");
    return own.node?.kind === "list" ? own.items() : [own];
  });
  const names = waves.map((wave) => wave.get("name"));
  return [
    ...twice(names, "wave", place),
    ...twice(clusters, "cluster", place),
    ...names.flatMap((name) => {
      const text = name.text() ?? "";
      const isInput = Object.hasOwn(inputs, text);
      if (!isInput && text !== imageParameter) return [];
      const message = `Wave "${text}" has the name of ${
        isInput ? "an input of the runbook" : "the parameter for the image"
      }`;
      return [{
        place: name.at ?? place,
        message,
        hint: "Give it another name",
      }];
    }),
  ];
}

function twice(
  all: readonly Cursor[],
  what: string,
  place: SourcePosition,
): readonly SourceProblem[] {
  const seen = new Set<string>();
  return all.flatMap((one) => {
    const name = one.text() ?? "";
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const message = `Duplicate ${what} "${name}"`;
    return [{ place: one.at ?? place, message, hint: "List each once" }];
  });
}

function inputProblems(
  at: Cursor,
  { inputs }: Runbook,
  place: SourcePosition,
): readonly SourceProblem[] {
  const given = at.entries();
  const names = new Set(
    given.flatMap(([name, { node }]) => node === undefined ? [] : [name]),
  );
  const missing = Object.entries(inputs).flatMap(([name, input]) => {
    if (!input.required || names.has(name)) return [];
    return [{
      place: at.at ?? place,
      message: `Input "${name}" of the runbook is missing`,
      hint: input.type === "secret"
        ? "Secrets are not given to a fleet; run the runbook on each cluster yourself"
        : `Give ${formatExpected(input)}`,
    }];
  });
  return [
    ...given.flatMap(([name, value]) => {
      const fault = findFault(name, value, inputs);
      return fault === undefined
        ? []
        : [{ place: value.at ?? place, ...fault }];
    }),
    ...missing,
  ];
}

function findFault(
  name: string,
  at: Cursor,
  inputs: Readonly<Record<string, RunbookInput>>,
): Omit<SourceProblem, "place"> | undefined {
  const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
  if (input === undefined) {
    const message = `There is no input "${name}"`;
    return { message, hint: suggest(name, Object.keys(inputs)) };
  }
  if (input.type === "secret") {
    const hint = "Secrets are not given to a fleet";
    return { message: `Input "${name}" is a secret`, hint };
  }
  const value = coreValue(at.node);
  if (value === null) return undefined;
  const text = inputText(at);
  if (text?.includes(opening) || text?.includes(foreign)) {
    const message = `Input "${name}": Expressions are not allowed here`;
    return { message, hint: "Give a value" };
  }
  const fault = inputFault(value, input);
  if (fault !== undefined) {
    const { message, hint } = fault;
    return { message: `Input "${name}": ${message}`, hint };
  }
  return text === undefined
    ? {
      message: `Input "${name}" cannot be given on the command line`,
      hint: "Use a runbook of your own that contains the value",
    }
    : undefined;
}

/** Approvals of a runbook, by tag. */
export function collectApprovals(
  { steps, rescue, always }: Pick<Runbook, "steps" | "rescue" | "always">,
): ReadonlyMap<string, StepOf<"approve">> {
  return new Map(
    [...allSteps([...steps, ...rescue, ...always])].flatMap((step) =>
      step.verb === "approve" ? [[step.tag, step] as const] : []
    ),
  );
}

function tagProblems(
  at: Cursor,
  runbook: Runbook,
  place: SourcePosition,
): readonly SourceProblem[] {
  const asked = collectApprovals(runbook);
  const given = at.node?.kind === "list" ? at.items() : [at];
  return given.flatMap((one) => {
    const tag = one.text();
    if (tag === undefined || tag === everyTag) return [];
    const isDestructive = asked.get(tag)?.destructive;
    if (isDestructive === false) return [];
    return [{
      place: one.at ?? place,
      ...isDestructive === undefined
        ? {
          message: `The runbook asks for no approval "${tag}"`,
          hint: suggest(tag, asked.keys()),
        }
        : {
          message: `Approval "${tag}" is destructive`,
          hint: "Approve it in each run, with osctl runbook approve",
        },
    }];
  });
}

function volumeProblems(
  at: Cursor,
  { files }: LoadedRunbook,
  place: SourcePosition,
): readonly SourceProblem[] {
  const own = files.map(({ path }) => path)
    .filter((path) => !path.startsWith(builtinPrefix));
  const [first] = own;
  if (first === undefined) return [];
  if (at.get("runbooks").text() === undefined) {
    return [{
      place: at.at ?? place,
      message: `The runbook is a file, and no volume holds "${first}"`,
      hint: "Put it into a ConfigMap, and name that under volumes.runbooks",
    }];
  }
  const folder = findFolder(first);
  return own.filter((path) => findFolder(path) !== folder).map((path) => ({
    place: at.at ?? place,
    message: `A ConfigMap has no folders, and "${path}" is in another one`,
    hint: "Put all files of the runbook into one folder",
  }));
}

function findFolder(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

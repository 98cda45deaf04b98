/** Steps of runbooks by their names: modules of their own, and every command. */

import { domain } from "../../dialect.ts";
import { commandName, commandStep } from "../../workflows/modules/command.ts";
import { modules } from "../../workflows/modules/all.ts";
import type { FindModule } from "../../workflows/runbooks/module.ts";
import { entries } from "../_index.ts";
import type { Entry } from "../_kit/command.ts";
import { commandModule } from "../_kit/command_module.ts";
import { named } from "../_kit/find.ts";
import { kebab } from "../_kit/parse.ts";
import type { StepPlace } from "../_kit/step_context.ts";
import { shortened, shortSteps } from "./_short_steps.ts";

/** Groups and commands that are no steps, and why. */
const refusals: ReadonlyMap<string, string> = new Map([
  ["cluster", "it works on clusters of this machine"],
  ["completion", "it is for shells"],
  ["dashboard", "it needs somebody who looks"],
  ["edit", "it needs somebody who edits; use config.patch"],
  ["operation", "a run has a journal of its own"],
  ["rotate-ca", "it is a runbook; put use: builtin:rotate-ca here"],
  ["runbook", "a runbook is used with use"],
]);

/** Prefixes that say no more than what a step works on. */
const ownPrefix = "node.";
const vendorPrefix = `${domain.split(".")[0]}config.`;

/** Commands that disturb nodes have a name beside those that only close and open them. */
const besides: ReadonlySet<string> = new Set([
  "reboot",
  "reset",
  "rollback",
  "shutdown",
]);

/**
 * Makes what finds steps.
 *
 * @param place What commands find in a run; left out where runbooks are only checked.
 */
export function findModule(place?: StepPlace): FindModule {
  const program = commandStep(place?.programs);
  return async (name) => {
    if (name === commandName) return program;
    const own = modules.get(neutral(name));
    if (own !== undefined) return own;
    const short = shortSteps.get(name);
    const entry = commandNamed(short?.command ?? name);
    if (entry?.load === undefined || refusal(entry) !== undefined) {
      return undefined;
    }
    const module = commandModule(stepName(entry), await entry.load(), place);
    return short === undefined ? module : shortened(name, module, short);
  };
}

/** Names of all steps, each once, in the order of the alphabet; other spellings are found, too. */
export const moduleNames: readonly string[] = [
  ...new Set([
    ...modules.keys(),
    commandName,
    ...shortSteps.keys(),
    ...entries.filter(isStep).flatMap(namesOf),
  ]),
].sort();

/**
 * Says why a command is no step.
 *
 * @param name Name of a step.
 * @returns `undefined` for steps, and for what is no command.
 */
export function whyNoStep(name: string): string | undefined {
  const entry = commandNamed(name);
  return entry === undefined ? undefined : refusal(entry);
}

function neutral(name: string): string {
  return name.startsWith(vendorPrefix)
    ? `osconfig.${name.slice(vendorPrefix.length)}`
    : name;
}

/** `etcd.forfeitLeadership` is `etcd forfeit-leadership`, and `node.reboot` is `reboot`. */
function commandNamed(name: string): Entry | undefined {
  const typed = kebab(name).replaceAll(".", " ");
  const found = named(entries, typed);
  if (found !== undefined || !name.startsWith(ownPrefix)) return found;
  return named(entries, typed.slice(ownPrefix.length));
}

function isStep(entry: Entry): boolean {
  return entry.load !== undefined && !entry.hidden &&
    refusal(entry) === undefined;
}

function refusal({ name }: Entry): string | undefined {
  const [first = ""] = name.split(" ");
  return refusals.get(first);
}

function namesOf(entry: Entry): readonly string[] {
  const name = stepName(entry);
  return besides.has(name) ? [name, `${ownPrefix}${name}`] : [name];
}

function stepName({ name }: Entry): string {
  return name.replaceAll(" ", ".")
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Runbook steps by name: built-in modules, and every command. */

import { domain } from "../../talos.ts";
import { checks } from "../../workflows/checks/all.ts";
import { modules } from "../../workflows/modules/all.ts";
import { commandName, commandStep } from "../../workflows/modules/command.ts";
import type { Finders } from "../../workflows/runbooks/language/lookup.ts";
import type { FindModule } from "../../workflows/modules/module.ts";
import type { IndexEntry } from "../_kit/command.ts";
import { findEntry } from "../_kit/find.ts";
import { kebab } from "../_kit/parse.ts";
import {
  shortModule,
  stepModule,
  type StepPlace,
} from "../_kit/step_module.ts";

/** Optional prefix of steps that work on nodes. */
const ownPrefix = "node.";
const vendorPrefix = `${domain.split(".")[0]}config.`;

/**
 * Finders for modules and checks.
 *
 * @param place Environment of commands in a run; omitted for checks without a run.
 */
export function makeFinders(
  commands: readonly IndexEntry[],
  place?: StepPlace,
): Finders {
  return {
    module: findModule(commands, place),
    modules: moduleNames(commands),
    whyNoModule(name) {
      const entry = commandNamed(commands, name);
      return entry === undefined ? undefined : refusal(commands, entry);
    },
    check: (name) => checks.get(name),
    checks: [...checks.keys()],
  };
}

function findModule(
  entries: readonly IndexEntry[],
  place: StepPlace | undefined,
): FindModule {
  const program = commandStep(place?.programs);
  return async (name) => {
    if (name === commandName) return program;
    const own = modules.get(neutral(name));
    if (own !== undefined) return own;
    const entry = commandNamed(entries, name);
    if (entry?.load === undefined || refusal(entries, entry) !== undefined) {
      return undefined;
    }
    const file = await entry.load();
    const module = stepModule(stepName(entry), file, place);
    const short = file.command.shortSteps?.[name];
    return short === undefined || module.kind === "read"
      ? module
      : shortModule(name, module, short);
  };
}

/** Names of all steps, unique and sorted; lookups also accept other spellings. */
function moduleNames(entries: readonly IndexEntry[]): readonly string[] {
  const steps = entries.filter((entry) =>
    entry.load !== undefined && !entry.hidden &&
    refusal(entries, entry) === undefined
  );
  return [
    ...new Set([
      ...modules.keys(),
      commandName,
      ...steps.flatMap((entry) => [stepName(entry), ...entry.steps ?? []]),
    ]),
  ].sort();
}

/** Settings of a group apply to its commands. */
function refusal(
  entries: readonly IndexEntry[],
  { name }: IndexEntry,
): string | undefined {
  return entries.find(({ name: around, noStep }) =>
    noStep !== undefined && `${name} `.startsWith(`${around} `)
  )?.noStep;
}

function neutral(name: string): string {
  return name.startsWith(vendorPrefix)
    ? `osconfig.${name.slice(vendorPrefix.length)}`
    : name;
}

/** `etcd.forfeitLeadership` is `etcd forfeit-leadership`, and `node.reboot` is `reboot`. */
function commandNamed(
  entries: readonly IndexEntry[],
  name: string,
): IndexEntry | undefined {
  const typed = kebab(name).replaceAll(".", " ");
  const found = entries.find(({ steps }) => steps?.includes(name)) ??
    findEntry(entries, typed);
  if (found !== undefined || !name.startsWith(ownPrefix)) return found;
  return findEntry(entries, typed.slice(ownPrefix.length));
}

function stepName({ name }: IndexEntry): string {
  return name.replaceAll(" ", ".")
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

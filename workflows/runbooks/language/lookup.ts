import type { Check } from "../../checks/check.ts";
import type { FindModule, Module } from "../../modules/module.ts";

/** Where modules and checks are found; the command line passes its commands in. */
export interface Finders {
  readonly module: FindModule;
  /** Names of all modules, for suggestions. */
  readonly modules: readonly string[];
  /** Says why something of that name is not a module; default that there is nothing. */
  readonly whyNoModule?: (name: string) => string | undefined;
  readonly check: (name: string) => Check | undefined;
  /** Names of all checks, for suggestions. */
  readonly checks: readonly string[];
}

/** What a runbook names, found before it is checked. */
export interface FoundNames {
  /** Finds a module that the runbook names. */
  readonly module: (name: string) => Module | undefined;
  readonly check: (name: string) => Check | undefined;
  /** Names of all modules, for suggestions. */
  readonly modules: readonly string[];
  /** Says why something of that name is not a module; default that there is nothing. */
  readonly whyNoModule?: (name: string) => string | undefined;
  /** Names of all checks, for suggestions. */
  readonly checks: readonly string[];
}

/** Finds the modules that are named. */
export async function findAll(
  names: Iterable<string>,
  finders: Finders,
): Promise<FoundNames> {
  const once = [...new Set(names)];
  const modules = await Promise.all(once.map((name) => finders.module(name)));
  const byName = new Map(once.map((name, index) => [name, modules[index]]));
  return {
    module: (name) => byName.get(name),
    check: finders.check,
    modules: finders.modules,
    ...(finders.whyNoModule === undefined
      ? {}
      : { whyNoModule: finders.whyNoModule }),
    checks: finders.checks,
  };
}

/** A module of a runbook that was checked, so it is there. */
export function moduleIn(
  found: Pick<FoundNames, "module">,
  name: string,
): Module {
  const module = found.module(name);
  if (module === undefined) throw new TypeError(`No module "${name}"`);
  return module;
}

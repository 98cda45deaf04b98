import type { Check } from "../../checks/check.ts";
import type { FindModule, Module } from "../../modules/module.ts";

/** Finders of modules and checks; the command line adds its commands. */
export interface Finders {
  readonly module: FindModule;
  /** Names of all modules, for suggestions. */
  readonly modules: readonly string[];
  /** Explains why a name is not a module; default that it does not exist. */
  readonly whyNoModule?: (name: string) => string | undefined;
  readonly check: (name: string) => Check | undefined;
  /** Names of all checks, for suggestions. */
  readonly checks: readonly string[];
}

/** Modules and checks of a runbook, found before it is checked. */
export interface FoundNames {
  /** Finds a module of the runbook. */
  readonly module: (name: string) => Module | undefined;
  readonly check: (name: string) => Check | undefined;
  /** Names of all modules, for suggestions. */
  readonly modules: readonly string[];
  /** Explains why a name is not a module; default that it does not exist. */
  readonly whyNoModule?: (name: string) => string | undefined;
  /** Names of all checks, for suggestions. */
  readonly checks: readonly string[];
}

/** Finds modules by name. */
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
    whyNoModule: finders.whyNoModule,
    checks: finders.checks,
  };
}

/** Finds a module of a checked runbook; it exists. */
export function moduleIn(
  found: Pick<FoundNames, "module">,
  name: string,
): Module {
  const module = found.module(name);
  if (module === undefined) throw new TypeError(`No module "${name}"`);
  return module;
}

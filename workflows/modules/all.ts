/** Modules that are steps of runbooks and no commands of their own name, or more than those. */

import type { Module } from "../runbooks/module.ts";

/** Modules by name. */
export const modules: ReadonlyMap<string, Module> = new Map(
  ([] as readonly Module[]).map((one) => [one.name, one]),
);

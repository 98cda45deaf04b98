/** Roles of the node API; a client has those its certificate lists as organizations. */

import { ConfigError } from "../errors.ts";

const roles = [
  "os:admin",
  "os:operator",
  "os:reader",
  "os:etcd:backup",
  "os:impersonator",
] as const;

/** One of {@linkcode roles}. */
export type Role = (typeof roles)[number];

interface RoleSplit {
  /** Known roles, sorted, each once. */
  readonly known: readonly Role[];
  /** Other names, sorted, each once. */
  readonly unknown: readonly string[];
}

/**
 * Reads roles that were typed; blanks around a name and empty names are dropped. Returns sorted,
 * each once. Throws `ConfigError` if a name is not a role.
 */
export function parseRoles(names: readonly string[]): readonly Role[] {
  const { known, unknown } = splitRoles(names);
  if (unknown.length === 0) return known;
  const quoted = unknown.map((name) => `"${name}"`).join(", ");
  throw new ConfigError(`Unknown roles ${quoted}`, {
    hint: `Roles are ${roles.join(", ")}`,
  });
}

/** Sorts out which names are roles, as nodes do: they ignore the others. */
export function splitRoles(names: readonly string[]): RoleSplit {
  const trimmed = names.map((name) => name.trim()).filter((name) => name);
  const unique = [...new Set(trimmed)].sort();
  return {
    known: unique.filter(isRole),
    unknown: unique.filter((name) => !isRole(name)),
  };
}

function isRole(name: string): name is Role {
  return roles.some((role) => role === name);
}

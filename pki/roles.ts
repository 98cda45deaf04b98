/** Node API roles; those of a client are the organizations in its certificate. */

import { ConfigError } from "../errors.ts";
import { inspectCertificate } from "./inspect.ts";
import { decodePemAs, pemLabel } from "./pem.ts";

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
  /** Known roles, sorted, without duplicates. */
  readonly known: readonly Role[];
  /** Unknown names, sorted, without duplicates. */
  readonly unknown: readonly string[];
}

/**
 * Parses roles from the user; trims names and drops empty ones. Returns them sorted,
 * without duplicates. Throws `ConfigError` for an unknown role.
 */
export function parseRoles(names: readonly string[]): readonly Role[] {
  const { known, unknown } = splitRoles(names);
  if (unknown.length === 0) return known;
  const quoted = unknown.map((name) => `"${name}"`).join(", ");
  throw new ConfigError(`Unknown roles ${quoted}`, {
    hint: `Roles are ${roles.join(", ")}`,
  });
}

/** Splits names into roles and others, which nodes ignore. */
export function splitRoles(names: readonly string[]): RoleSplit {
  const trimmed = names.map((name) => name.trim()).filter((name) => name);
  const unique = [...new Set(trimmed)].sort();
  return {
    known: unique.filter(isRole),
    unknown: unique.filter((name) => !isRole(name)),
  };
}

/**
 * Reads the roles in a client certificate.
 *
 * @param crt PEM.
 * @returns Known roles, sorted, without duplicates.
 * @throws {ConfigError} If it is not a certificate.
 */
export function readRoles(crt: string): readonly Role[] {
  const [leaf] = decodePemAs(pemLabel.certificate, crt);
  return splitRoles(inspectCertificate(leaf).subject.organizations).known;
}

function isRole(name: string): name is Role {
  return roles.some((role) => role === name);
}

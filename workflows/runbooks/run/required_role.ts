/** Checks whether the role of a certificate is sufficient for a runbook. */

import { RefusedError } from "../../../errors.ts";
import { readRoles, type Role } from "../../../pki/roles.ts";
import { allSteps } from "../language/walk.ts";
import type { Runbook } from "../runbook.ts";

/** Roles that include another role. */
const stronger: Readonly<Record<Role, readonly Role[]>> = {
  "os:admin": [],
  "os:operator": ["os:admin"],
  "os:reader": ["os:admin", "os:operator"],
  "os:etcd:backup": ["os:admin", "os:operator"],
  "os:impersonator": [],
};

/**
 * Refuses a run whose steps the nodes would deny.
 *
 * @param runbook The runbook; those it uses count as well.
 * @param crt Client certificate, PEM; without one a proxy authorizes, and nothing is refused.
 * @throws {RefusedError} If the certificate has no sufficient role.
 */
export function refuseRole(runbook: Runbook, crt: string | undefined): void {
  if (crt === undefined) return;
  const known = readRoles(crt);
  for (const { name, requires } of listRunbooks(runbook)) {
    const { role } = requires;
    if (role === undefined || isEnough(role, known)) continue;
    throw new RefusedError(
      `Runbook "${name}" needs role "${role}", and the certificate has ${
        known.join(", ") || "none"
      }`,
      { hint: "Choose another context with --context" },
    );
  }
}

function isEnough(needed: string, roles: readonly Role[]): boolean {
  return roles.some((role) =>
    role === needed ||
    // Unknown roles have no stronger ones.
    (stronger[needed as Role] ?? []).includes(role)
  );
}

function listRunbooks(runbook: Runbook): readonly Runbook[] {
  const { steps, rescue, always } = runbook;
  const used = [...allSteps([...steps, ...rescue, ...always])]
    .flatMap((step) => step.verb === "use" ? [step.runbook] : []);
  return [runbook, ...used];
}

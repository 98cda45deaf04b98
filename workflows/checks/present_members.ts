/** Who is in a cluster now. */

import { OsctlError } from "../../errors.ts";
import { knownMembers, type Member } from "../../transport/node/members.ts";
import type { CheckSite } from "./check.ts";

/**
 * Members of a cluster at this moment.
 *
 * The view keeps the members it saw first, so a control plane is asked.
 *
 * @param site The cluster.
 * @throws {OsctlError} If no control plane tells.
 */
export async function presentMembers(
  { cluster }: Pick<CheckSite, "cluster">,
): Promise<readonly Member[]> {
  let failure = new OsctlError(
    "Cannot list the members of the cluster: no control plane is known",
  );
  for (const { address, controlPlane } of await cluster.members()) {
    if (!controlPlane) continue;
    try {
      // The next one is asked only when this one cannot answer.
      return await knownMembers(await cluster.at(address));
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      failure = error;
    }
  }
  throw failure;
}

/**
 * Whether a member is the node that is meant.
 *
 * @param member The member.
 * @param node Name or address; anything else is no node.
 */
export function isNamed(
  { hostname, address }: Pick<Member, "hostname" | "address">,
  node: unknown,
): boolean {
  return node === hostname || node === address;
}

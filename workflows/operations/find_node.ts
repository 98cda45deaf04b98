/** Finding a node again that came back with another address. */

import { OsctlError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { clusterMembers, type Member } from "../../transport/node/members.ts";
import { single } from "../../transport/call/reply.ts";
import type { Site } from "./operation.ts";
import { memberNamed } from "./cluster_view.ts";

/** A node at its new address. */
export interface Whereabouts {
  /** The address. */
  readonly address: string;
  /** Calls to it there. */
  readonly client: NodeClient;
}

/** Longest time for one answer, in milliseconds. */
const deadlineMs = 5_000;

/**
 * Asks the control planes for the address of a node that does not answer any more.
 *
 * @returns `undefined` when they list it where it was, or what is at the new address is another node.
 */
export async function newPlaceOf(
  { node, cluster }: Pick<Site, "node" | "cluster">,
): Promise<Whereabouts | undefined> {
  try {
    const members = await cluster.members();
    const before = memberNamed(members, node);
    if (before === undefined) return undefined;
    for (const other of members) {
      if (!other.controlPlane || other === before) continue;
      const found = await placeBy(other, before, cluster);
      if (found !== undefined) return found;
    }
    return undefined;
  } catch (error) {
    if (error instanceof OsctlError) return undefined;
    throw error;
  }
}

/** What one control plane knows. */
async function placeBy(
  { address: asked }: Member,
  { address: old, hostname }: Member,
  cluster: Site["cluster"],
): Promise<Whereabouts | undefined> {
  try {
    const members = await clusterMembers(await cluster.at(asked), deadlineMs);
    const now = members.find((one) => one.hostname === hostname);
    if (now === undefined || now.address === old) return undefined;
    const client = await cluster.at(now.address);
    const { messages } = await client.machine.hostname({}, { deadlineMs });
    const name = single(messages).hostname;
    // An address of several nodes may be another's by now.
    const isSame = hostname === name || hostname.startsWith(`${name}.`);
    return isSame ? { address: now.address, client } : undefined;
  } catch (error) {
    // The next one may know more.
    if (error instanceof OsctlError) return undefined;
    throw error;
  }
}

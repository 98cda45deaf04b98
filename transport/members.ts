/** Members of the cluster, as its nodes know them. */

import { domain } from "../dialect.ts";
import type { NodeClient } from "./client.ts";

/** A node that the cluster knows. */
export interface Member {
  /** First of its addresses, by which endpoints reach it. */
  readonly address: string;
  /** Name it has in the cluster. */
  readonly hostname: string;
  /** Whether it runs the control plane. */
  readonly controlPlane: boolean;
}

/**
 * Lists the members of the cluster.
 *
 * @param client Client of an endpoint.
 * @param deadlineMs Longest time for all of them, in milliseconds; default none.
 * @returns Members in the order of the endpoint; those without an address are left out.
 */
export async function clusterMembers(
  client: NodeClient,
  deadlineMs?: number,
): Promise<Member[]> {
  // Only selectors need it, and it adds to the start of everything else.
  const { parseSpec } = await import("./resource_spec.ts");
  const members: Member[] = [];
  const answers = client.state.list({
    namespace: "cluster",
    type: `Members.cluster.${domain}`,
    options: {},
  }, deadlineMs === undefined ? {} : { deadlineMs });
  for await (const { resource } of answers) {
    const yaml = resource?.spec?.yamlSpec ?? "";
    members.push(...memberOf(parseSpec(yaml)));
  }
  return members;
}

function memberOf(spec: unknown): readonly Member[] {
  if (typeof spec !== "object" || spec === null) return [];
  const { addresses, hostname, machineType } = spec as Record<string, unknown>; // checked below
  const address = Array.isArray(addresses) ? addresses[0] : undefined;
  if (typeof address !== "string") return [];
  return [{
    address,
    hostname: typeof hostname === "string" ? hostname : address,
    controlPlane: machineType === "controlplane" || machineType === "init",
  }];
}

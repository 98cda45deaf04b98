/** Role of a node, as reported by the node. */

import { domain } from "../../talos.ts";
import { OsctlError } from "../../errors.ts";
import type { NodeClient } from "../call/client.ts";
import { parseSpec } from "./resource_yaml.ts";

/** Role of a node in its cluster; `unknown` if not reported. */
export type NodeRole = "controlplane" | "worker" | "unknown";

/** Timeout for each request, in milliseconds. */
const deadlineMs = 5_000;

const roles: ReadonlyMap<unknown, NodeRole> = new Map([
  ["controlplane", "controlplane"],
  ["init", "controlplane"],
  ["worker", "worker"],
]);

/**
 * Reads the role of a node. Source: resource `MachineTypes`. Returns `unknown` if the node does not answer or
 * has no configuration yet.
 */
export async function ownRole(
  { state }: Pick<NodeClient, "state">,
): Promise<NodeRole> {
  try {
    const { resource } = await state.get({
      namespace: "config",
      type: `MachineTypes.config.${domain}`,
      id: "machine-type",
      options: {},
    }, { deadlineMs });
    return roles.get(parseSpec(resource?.spec?.yamlSpec ?? "")) ?? "unknown";
  } catch (error) {
    if (error instanceof OsctlError) return "unknown";
    throw error;
  }
}

/** The configuration a node runs with. */

import { domain, yamlSpecAnnotation } from "../dialect.ts";
import type { NodeClient } from "./client.ts";
import type { Resource } from "./gen/cosi_resource.ts";
import { parseSpec } from "./resource_spec.ts";

/** Type of the resource that holds a machine configuration. */
export const machineConfigurationType = `MachineConfigs.config.${domain}`;

/**
 * Reads the configuration a node runs with.
 *
 * @param client Client of the node.
 * @returns YAML.
 * @throws {RpcError} `NOT_FOUND` from a node that has none.
 */
export async function readMachineConfiguration(
  client: NodeClient,
): Promise<string> {
  const { resource } = await client.state.get({
    namespace: "config",
    type: machineConfigurationType,
    id: "v1alpha1",
    options: {},
  });
  return resource === undefined ? "" : machineConfigurationOf(resource);
}

/**
 * The text in a resource of the type {@linkcode machineConfigurationType}.
 *
 * Old nodes send the configuration as it is, newer ones as a YAML string that holds it.
 */
export function machineConfigurationOf({ metadata, spec }: Resource): string {
  const yaml = spec?.yamlSpec ?? "";
  const isWrapped = metadata?.annotations[yamlSpecAnnotation] !== undefined;
  return isWrapped ? String(parseSpec(yaml)) : yaml;
}

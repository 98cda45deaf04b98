import { domain, yamlSpecAnnotation } from "../../talos.ts";
import type { NodeClient } from "../call/client.ts";
import type { Resource } from "../gen/cosi_resource.ts";
import { parseSpec } from "./resource_yaml.ts";

/** Resource type of machine configurations. */
export const machineConfigurationType = `MachineConfigs.config.${domain}`;

/** Id of a machine configuration: the active one, or the one for the next boot. */
export type ConfigurationId = "v1alpha1" | "persistent";

/**
 * Reads the machine configuration of a node.
 *
 * @param id Id of the configuration, default the active one.
 * @returns YAML.
 * @throws {RpcError} `NOT_FOUND` if the node has none; old nodes do not have the persistent one.
 */
export async function readMachineConfiguration(
  client: NodeClient,
  id: ConfigurationId = "v1alpha1",
): Promise<string> {
  const { resource } = await client.state.get({
    namespace: "config",
    type: machineConfigurationType,
    id,
    options: {},
  });
  return resource === undefined ? "" : renderMachineConfiguration(resource);
}

/**
 * Returns the text of a resource of type {@linkcode machineConfigurationType}.
 *
 * Old nodes send the configuration itself, newer ones a YAML string that contains it.
 */
export function renderMachineConfiguration(
  { metadata, spec }: Resource,
): string {
  const yaml = spec?.yamlSpec ?? "";
  const isWrapped = metadata?.annotations[yamlSpecAnnotation] !== undefined;
  return isWrapped ? String(parseSpec(yaml)) : yaml;
}

import { domain, yamlSpecAnnotation } from "../../talos.ts";
import type { NodeClient } from "../call/client.ts";
import type { Resource } from "../gen/cosi_resource.ts";
import { parseSpec } from "./resource_yaml.ts";

/** Type of the resource that holds a machine configuration. */
export const machineConfigurationType = `MachineConfigs.config.${domain}`;

/** Which configuration of a node: the one it runs with, or the one it will find at its next boot. */
export type ConfigurationId = "v1alpha1" | "persistent";

/**
 * Reads the configuration a node runs with.
 *
 * @param id Which one, default the one it runs with.
 * @returns YAML.
 * @throws {RpcError} `NOT_FOUND` from a node that has none; old nodes do not show the persistent one.
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
 * The text in a resource of the type {@linkcode machineConfigurationType}.
 *
 * Old nodes send the configuration as it is, newer ones as a YAML string that holds it.
 */
export function renderMachineConfiguration(
  { metadata, spec }: Resource,
): string {
  const yaml = spec?.yamlSpec ?? "";
  const isWrapped = metadata?.annotations[yamlSpecAnnotation] !== undefined;
  return isWrapped ? String(parseSpec(yaml)) : yaml;
}

/** Changes resources other than machine configurations. */

import type { ResourcePlace } from "../../transport/node/read_resource.ts";
import { diffUnknown } from "../../config/diff.ts";
import { UsageError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import type { Resource } from "../../transport/gen/cosi_resource.ts";
import { machineConfigurationType } from "../../transport/node/machine_configuration.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import { inParts } from "../../lib/timer.ts";
import type { OutcomeRow } from "../../workflows/operations/change.ts";
import { optionalWord, text, type Values } from "../_kit/mod.ts";
import { resolveType } from "../_resources/resource_type.ts";

/** Planned change of a resource. */
export interface ResourcePlanRow {
  readonly node: string;
  /** Unified diff of the specs, values hidden; empty when nothing changes. */
  readonly diff: string;
}

/** Flags and arguments that name the resource. */
export const resourceInputs = {
  type: optionalWord("resource type; default the machine configuration", {
    complete: "resources",
  }),
  id: optionalWord("id of the resource", { complete: "ids" }),
  namespace: text("namespace", { shown: "the default of the type" }),
};

const configurationNames: ReadonlySet<string> = new Set([
  "mc",
  "mcs",
  "machineconfig",
  "machineconfigs",
  machineConfigurationType.toLowerCase(),
]);

/**
 * Resolves the resource to change. Returns `undefined` for the machine
 * configuration. Throws `UsageError` if its name is invalid.
 */
export async function resourceNamed(
  nodes: Nodes,
  { type: word = "machineconfig", id, namespace }: Values<
    typeof resourceInputs
  >,
): Promise<ResourcePlace | undefined> {
  const type = configurationNames.has(word.toLowerCase())
    ? { type: machineConfigurationType, defaultNamespace: "config" }
    : await resolveType(nodes, word);
  if (type.type === machineConfigurationType) {
    if (id === undefined || id === "v1alpha1") return undefined;
    throw new UsageError(`Machine configuration "${id}" cannot be changed`, {
      hint: "Omit the id, or use v1alpha1, the active one",
    });
  }
  if (id === undefined) {
    throw new UsageError(`No id given for ${word}`, {
      hint: `List them with: osctl get ${word}`,
    });
  }
  return {
    namespace: namespace || type.defaultNamespace,
    type: type.type,
    id,
  };
}

/** Reads a resource. Throws `RpcError` if the node has no such resource, or refuses. */
export async function readResource(
  { state }: NodeClient,
  name: ResourcePlace,
): Promise<Resource> {
  const { resource } = await state.get({ ...name, options: {} });
  if (resource !== undefined) return resource;
  throw new UsageError(`There is no "${name.id}" of type "${name.type}"`);
}

/**
 * Updates the spec of a resource; most nodes refuse, and the error of the node is shown.
 *
 * @param resource As it was read, to detect changes by other clients.
 * @param spec YAML.
 * @param options `dryRun` only shows the diff.
 * @throws {RpcError} If the node refuses.
 */
export async function writeResource(
  { node, state }: NodeClient,
  resource: Resource,
  spec: string,
  { dryRun }: { readonly dryRun: boolean },
): Promise<OutcomeRow | ResourcePlanRow> {
  const old = resource.spec?.yamlSpec ?? "";
  if (dryRun) {
    return { node, diff: await inParts(diffUnknown(old, spec, node)) };
  }
  if (spec === old) {
    return { node, outcome: "unchanged", reason: "no change" };
  }
  await state.update({
    newResource: { ...resource, spec: { yamlSpec: spec } },
    options: { owner: resource.metadata?.owner ?? "" },
  });
  return { node, outcome: "done", reason: "accepted by the node" };
}

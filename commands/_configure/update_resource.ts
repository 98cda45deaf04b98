/** Changing resources that are not machine configurations. */

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

/** What a resource would become. */
export interface ResourcePlanRow {
  readonly node: string;
  /** Unified diff of the specs, values hidden; empty when nothing would change. */
  readonly diff: string;
}

/** Flags and arguments that say which resource is changed. */
export const resourceInputs = {
  type: optionalWord("resource type; default the machine configuration", {
    complete: "resources",
  }),
  id: optionalWord("id of the resource", { complete: "ids" }),
  namespace: text("namespace", { shown: "the default of the type" }),
};

type ResourceInputs = Values<typeof resourceInputs>;

/** A resource of any node. */
export interface ResourceName {
  readonly namespace: string;
  readonly type: string;
  readonly id: string;
}

const configurationNames: ReadonlySet<string> = new Set([
  "mc",
  "mcs",
  "machineconfig",
  "machineconfigs",
  machineConfigurationType.toLowerCase(),
]);

/**
 * Finds out what is to be changed. Returns `undefined` for the machine configuration. Throws
 * `UsageError` when it is named wrongly.
 */
export async function resourceNamed(
  nodes: Nodes,
  { type: word = "machineconfig", id, namespace }: ResourceInputs,
): Promise<ResourceName | undefined> {
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

/** Reads a resource. Throws `RpcError` when the node has none, or refuses. */
export async function readResource(
  { state }: NodeClient,
  name: ResourceName,
): Promise<Resource> {
  const { resource } = await state.get({ ...name, options: {} });
  if (resource !== undefined) return resource;
  throw new UsageError(`There is no "${name.id}" of type "${name.type}"`);
}

/**
 * Writes a resource back with another spec; most nodes refuse, and their words are shown.
 *
 * @param resource As it was read, so that no other client's change is lost.
 * @param spec YAML.
 * @param options `dryRun` only shows the difference.
 * @throws {RpcError} When the node refuses.
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

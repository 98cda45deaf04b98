/** Resources a node has, before they are stored. */

import { domain } from "../../../dialect.ts";
import type { SimulatedNode } from "../../node/node.ts";
import { definitionOfType } from "../resource_definitions.ts";
import type { ResourceContent, ResourceKey } from "../resources.ts";

/** One resource to store. */
export interface NodeResource extends ResourceContent {
  /** Type without the domain: `Members.cluster`. */
  readonly type: string;
  /** Name. */
  readonly id: string;
  /** Default: the default of the type. */
  readonly namespace?: string;
}

/** Makes a resource to store, given the controller that owns it. */
export function resource(
  type: string,
  id: string,
  owner: string,
  spec: unknown,
): NodeResource {
  return { type, id, owner, spec };
}

/** Stores resources of a node, or changes those that exist. */
export function putAll(
  { boot: { resources } }: SimulatedNode,
  contents: readonly NodeResource[],
): void {
  for (const content of contents) resources.put(keyOf(content), content);
}

/** The same, without a new version of resources that say the same as before. */
export function putChanged(
  { boot: { resources } }: SimulatedNode,
  contents: readonly NodeResource[],
): void {
  for (const content of contents) {
    const key = keyOf(content);
    const known = resources.get(key)?.spec;
    if (JSON.stringify(known) === JSON.stringify(content.spec)) continue;
    resources.put(key, content);
  }
}

/** Where a resource is found. */
export function keyOf(
  { type: short, id, namespace }: Pick<
    NodeResource,
    "type" | "id" | "namespace"
  >,
): ResourceKey {
  const type = `${short}.${domain}`;
  const known = namespace ?? definitionOfType(type)?.defaultNamespace;
  if (known === undefined) throw new Error(`Unknown resource type "${type}"`);
  return { namespace: known, type, id };
}

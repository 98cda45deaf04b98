import { domain } from "../../../talos.ts";
import type { SimulatedNode } from "../../state/node.ts";
import { findMinor } from "../../release/release.ts";
import { specVersions, withoutFields } from "../../release/version_facts.ts";
import {
  definitionOfType,
  namespaceOfType,
} from "../../resources/resource_definitions.ts";
import type {
  ResourceContent,
  ResourceKey,
} from "../../resources/resources.ts";

/** One resource to store. */
export interface NodeResource extends ResourceContent {
  /** Type without the domain: `Members.cluster`. */
  readonly type: string;
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

/** Stores resources of a node, or changes those that exist; what its version does not have is left out. */
export function putAll(
  node: SimulatedNode,
  contents: readonly NodeResource[],
): void {
  for (const content of ofVersion(node, contents)) {
    node.boot.resources.put(toKey(content), content);
  }
}

/** The same, without a new version of resources that say the same as before. */
export function putChanged(
  node: SimulatedNode,
  contents: readonly NodeResource[],
): void {
  const { boot: { resources } } = node;
  for (const content of ofVersion(node, contents)) {
    const key = toKey(content);
    const known = resources.get(key)?.spec;
    if (JSON.stringify(known) === JSON.stringify(content.spec)) continue;
    resources.put(key, content);
  }
}

function ofVersion(
  node: SimulatedNode,
  contents: readonly NodeResource[],
): readonly NodeResource[] {
  const minor = findMinor(node);
  return contents
    .filter(({ type }) => definitionOfType(`${type}.${domain}`, minor))
    .map((content) => {
      const spec = withoutFields(
        content.spec,
        specVersions[content.type],
        minor,
      );
      // Specs that are the same are encoded once.
      return spec === content.spec ? content : { ...content, spec };
    });
}

/** Where a resource is found. */
export function toKey(
  { type: short, id, namespace }: Pick<
    NodeResource,
    "type" | "id" | "namespace"
  >,
): ResourceKey {
  const type = `${short}.${domain}`;
  const known = namespace ?? namespaceOfType(type);
  if (known === undefined) throw new Error(`Unknown resource type "${type}"`);
  return { namespace: known, type, id };
}

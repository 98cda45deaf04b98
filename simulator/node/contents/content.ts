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

/** Makes a resource to store. `owner`: its controller. */
export function resource(
  type: string,
  id: string,
  owner: string,
  spec: unknown,
): NodeResource {
  return { type, id, owner, spec };
}

/** Creates or updates resources of a node, except for those its version does not have. */
export function putAll(
  node: SimulatedNode,
  contents: readonly NodeResource[],
): void {
  for (const content of ofVersion(node, contents)) {
    node.boot.resources.put(toKey(content), content);
  }
}

/** Like `putAll`, without a new version of unchanged resources. */
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
      // Encode equal specs once.
      return spec === content.spec ? content : { ...content, spec };
    });
}

/** Key of a resource. */
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

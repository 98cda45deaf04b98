/** Resolves a word typed by the user to a resource type. */

import { UsageError } from "../../errors.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import {
  type ResourceType,
  resourceTypes,
  typesNamed,
} from "../../transport/node/resource_types.ts";
import { nearest } from "../../lib/text/nearest.ts";

/**
 * Finds a type by name on the first selected node that answers.
 *
 * @param word Full type or alias, case-insensitive.
 * @throws {UsageError} If no type, or more than one, has the name.
 * @throws {NodesError} If no node answers.
 */
export async function resolveType(
  nodes: Nodes,
  word: string,
): Promise<ResourceType> {
  return (await resolveTypeAt(nodes, word)).type;
}

interface FoundType {
  readonly type: ResourceType;
  readonly node: string;
}

/** Finds a type like {@linkcode resolveType}, and returns the node that answered. */
export async function resolveTypeAt(
  nodes: Nodes,
  word: string,
): Promise<FoundType> {
  let types: readonly ResourceType[] | undefined;
  // One node at a time: the first answer is enough.
  const answers = nodes.call(async (client) => {
    types ??= await resourceTypes(client);
    return types;
  }, { atOnce: 1 });
  for await (const { node, value } of answers) {
    return { type: onlyType(value, word), node };
  }
  throw new UsageError("No nodes are selected");
}

/** Names of types that nodes do not know. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["volume", "volumestatus"],
  ["volumes", "volumestatuses"],
]);

function onlyType(
  types: readonly ResourceType[],
  word: string,
): ResourceType {
  const name = otherNames.get(word.toLowerCase()) ?? word;
  const [found, ...others] = typesNamed(types, name);
  if (found === undefined) {
    const names = types.flatMap(({ allAliases }) => allAliases);
    const near = nearest(word.toLowerCase(), names);
    throw new UsageError(`Unknown resource type "${word}"`, {
      hint: near === undefined
        ? 'Run "osctl get rd" for the list of types'
        : `Did you mean "${near}"?`,
    });
  }
  if (others.length > 0) {
    const ids = [found, ...others].map(({ id }) => id).join(", ");
    throw new UsageError(`Resource type "${word}" is ambiguous: ${ids}`, {
      hint: "Use the full name of one of them",
    });
  }
  return found;
}

/** Types of resources a node has: its resource definitions. */

import type { NodeClient } from "../call/client.ts";
import { parseSpec } from "./resource_yaml.ts";

/** One type of resource. Source: `ResourceDefinitions.meta.cosi.dev`. */
export interface ResourceType {
  readonly id: string;
  /** Full type, as calls need it. */
  readonly type: string;
  /** Singular name, as tables show it. */
  readonly displayType: string;
  /** Namespace its resources are looked for in. */
  readonly defaultNamespace: string;
  /** Every other name it is found by. */
  readonly allAliases: readonly string[];
  /** True when its resources hold secrets. */
  readonly sensitive: boolean;
  /** Columns a table has beside the usual ones. */
  readonly printColumns: readonly {
    readonly name: string;
    /** JSONPath template into the spec. */
    readonly jsonPath: string;
  }[];
}

/** Lists the types a node has. Throws `OsctlError` when a definition is not what this client can read. */
export async function resourceTypes(
  client: Pick<NodeClient, "state">,
): Promise<ResourceType[]> {
  const types: ResourceType[] = [];
  const answers = client.state.list({
    namespace: "meta",
    type: "ResourceDefinitions.meta.cosi.dev",
    options: {},
  });
  for await (const { resource } of answers) {
    const id = resource?.metadata?.id ?? "";
    types.push(findType(id, parseSpec(resource?.spec?.yamlSpec ?? "")));
  }
  return types;
}

/**
 * Finds the types a word may mean.
 *
 * @param word Full type or alias, in upper or lower case.
 * @returns None when there is no such type, several when the word is ambiguous.
 */
export function typesNamed(
  types: readonly ResourceType[],
  word: string,
): ResourceType[] {
  const wanted = word.toLowerCase();
  return types.filter(({ id, allAliases }) =>
    id === wanted || allAliases.some((alias) => alias.toLowerCase() === wanted)
  );
}

function findType(id: string, spec: unknown): ResourceType {
  const type = textAt(spec, "type");
  return {
    id: id.toLowerCase(),
    type,
    displayType: textAt(spec, "displayType"),
    defaultNamespace: textAt(spec, "defaultNamespace"),
    allAliases: listAt(spec, "allAliases").filter((alias) =>
      typeof alias === "string"
    ),
    sensitive: textAt(spec, "sensitivity") === "sensitive",
    printColumns: listAt(spec, "printColumns").map((column) => ({
      name: textAt(column, "name"),
      jsonPath: textAt(column, "jsonPath"),
    })),
  };
}

function textAt(value: unknown, key: string): string {
  const found = at(value, key);
  return typeof found === "string" ? found : "";
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const found = at(value, key);
  return Array.isArray(found) ? found : [];
}

function at(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null &&
      Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

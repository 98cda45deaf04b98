/** Resource types of a node: its resource definitions. */

import type { NodeClient } from "../call/client.ts";
import { parseSpec } from "./resource_yaml.ts";

/** One type of resource. Source: `ResourceDefinitions.meta.cosi.dev`. */
export interface ResourceType {
  readonly id: string;
  /** Full type, as used in calls. */
  readonly type: string;
  /** Singular name, as shown in tables. */
  readonly displayType: string;
  readonly defaultNamespace: string;
  readonly allAliases: readonly string[];
  /** True if its resources contain secrets. */
  readonly sensitive: boolean;
  /** Additional table columns. */
  readonly printColumns: readonly {
    readonly name: string;
    /** JSONPath template into the spec. */
    readonly jsonPath: string;
  }[];
}

/** Lists the resource types of a node. `options`: of the call, default none. Throws `OsctlError` if a definition cannot be parsed. */
export async function resourceTypes(
  client: Pick<NodeClient, "state">,
  options: Parameters<NodeClient["state"]["list"]>[1] = {},
): Promise<ResourceType[]> {
  const types: ResourceType[] = [];
  const answers = client.state.list({
    namespace: "meta",
    type: "ResourceDefinitions.meta.cosi.dev",
    options: {},
  }, options);
  for await (const { resource } of answers) {
    const id = resource?.metadata?.id ?? "";
    types.push(findType(id, parseSpec(resource?.spec?.yamlSpec ?? "")));
  }
  return types;
}

/**
 * Finds resource types by name.
 *
 * @param word Full type or alias, in upper or lower case.
 * @returns Empty if there is no such type, several if the name is ambiguous.
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

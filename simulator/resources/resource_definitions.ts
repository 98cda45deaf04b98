/** Definitions of all resource types and namespaces of a node. */

import { domain, runtimeName } from "../../talos.ts";
import type { Clock } from "../clock/clock.ts";
import {
  includes,
  namespaceVersions,
  parseRange,
  type VersionRange,
} from "../release/version_facts.ts";
import {
  createResources,
  type NodeResources,
  type ResourceKey,
} from "./resources.ts";
import { resourceTypes } from "./resource_types.ts";

interface DefinitionSpec {
  readonly type: string;
  readonly displayType: string;
  readonly defaultNamespace: string;
  readonly aliases: readonly string[];
  /** All aliases of the type, without the full name. */
  readonly allAliases: readonly string[];
  /** True if it has only explicit aliases. */
  readonly skipAutomaticAliases?: true;
  readonly printColumns: readonly {
    readonly name: string;
    readonly jsonPath: string;
  }[];
  /** Present if only administrators may read resources of the type. */
  readonly sensitivity?: "sensitive";
}

/** Types of the resources that describe types and namespaces. */
const metaType = {
  definition: "ResourceDefinitions.meta.cosi.dev",
  namespace: "Namespaces.meta.cosi.dev",
} as const;

interface VersionedDefinition {
  readonly definition: DefinitionSpec;
  readonly versions: VersionRange;
}

/** Definitions of all types in all versions, sorted by id. */
const allDefinitions: readonly VersionedDefinition[] = [
  ...resourceTypes.trim().split("\n\n").flatMap(definitionsIn),
  ...[
    findDefinition(metaType.namespace, "meta", { aliases: ["ns"] }),
    findDefinition(metaType.definition, "meta", {
      aliases: ["api-resources"],
      columns: [{ name: "Aliases", jsonPath: "{.aliases[:]}" }],
    }),
  ].map((definition) => ({ definition, versions: parseRange("") })),
].sort((a, b) => formatId(a) < formatId(b) ? -1 : 1);

function formatId({ definition: { type } }: VersionedDefinition): string {
  return type.toLowerCase();
}

/** Cache of definitions by minor version. */
const byMinor = new Map<number, ReadonlyMap<string, DefinitionSpec>>();

/** Definitions of the types of a minor version by id, sorted. */
export function definitionsFor(
  minor: number,
): ReadonlyMap<string, DefinitionSpec> {
  const known = byMinor.get(minor) ?? new Map(
    allDefinitions.filter(({ versions }) => includes(versions, minor))
      .map((one) => [formatId(one), one.definition]),
  );
  byMinor.set(minor, known);
  return known;
}

/** Definitions in a block of {@linkcode resourceTypes}. */
function definitionsIn(block: string): readonly VersionedDefinition[] {
  const [head = "", ...lines] = block.split("\n");
  const [group, namespace = ""] = head.split(" ");
  const suffix = group === "-" ? domain : `${group}.${domain}`;
  return lines.map((line) => {
    const [, name, sensitive, alone, versions = "", aliases, columns] =
      /^ {2}(\w+)(!?)(~?)(?: (\d*-\d*))?(?: \(([^)]*)\))?(?:: (.*))?$/.exec(
        line,
      ) ?? [];
    const definition = findDefinition(`${name}.${suffix}`, namespace, {
      aliases: aliases?.split(", ") ?? [],
      columns: columns?.split(", ").map(parseColumn) ?? [],
      sensitive: sensitive === "!",
      automatic: alone === "",
    });
    return { definition, versions: parseRange(versions) };
  });
}

/** Reads `Heading=path`. */
function parseColumn(text: string): DefinitionSpec["printColumns"][number] {
  const [, name = "", path = ""] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  return { name, jsonPath: path === "@" ? "{@}" : `{.${path}}` };
}

const namespaces: Readonly<Record<string, string>> = {
  cluster: "Cluster configuration and discovery resources.",
  "cluster-raw": "Cluster unmerged raw resources.",
  config: `${runtimeName} node configuration.`,
  containers: `${runtimeName}-managed container resources.`,
  controlplane: "Kubernetes control plane resources.",
  cri: "CRI Seccomp resources.",
  etcd: "etcd resources.",
  files: "Files and file-like resources.",
  hardware: "Hardware resources.",
  k8s: "Kubernetes all node types resources.",
  kubespan: "KubeSpan resources.",
  meta: "Metadata about resources.",
  network: "Networking resources.",
  "network-config": "Networking configuration resources.",
  perf: "Stats resources.",
  runtime: `${runtimeName} v1alpha1 subsystems glue resources.`,
  secrets: "Resources with secret material.",
  security: "Security resources.",
  storage: "Storage resources.",
};

/** Descriptions of the namespaces of a minor version. */
function namespacesFor(
  minor: number,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(namespaces).filter(([name]) =>
      includes(namespaceVersions[name], minor)
    ),
  );
}

/** True if a minor version has a namespace. */
export function hasNamespace(name: string, minor: number): boolean {
  return Object.hasOwn(namespaces, name) &&
    includes(namespaceVersions[name], minor);
}

/**
 * Finds the definition of a type in a minor version.
 *
 * @param type Full type in any case.
 */
export function definitionOfType(
  type: string,
  minor: number,
): DefinitionSpec | undefined {
  return definitionsFor(minor).get(type.toLowerCase());
}

/** Finds the default namespace of a type of any version. `type`: full type. */
export function namespaceOfType(type: string): string | undefined {
  return defaultNamespaces.get(type);
}

const defaultNamespaces: ReadonlyMap<string, string> = new Map(
  allDefinitions.map(({ definition: { type, defaultNamespace } }) =>
    [type, defaultNamespace] as const
  ),
);

/** Makes a lookup of the resources that describe the types and namespaces of a minor version. */
export function descriptions(clock: Clock): (minor: number) => NodeResources {
  const known = new Map<number, NodeResources>();
  return (minor) => {
    const resources = known.get(minor) ?? describe(minor, clock);
    known.set(minor, resources);
    return resources;
  };
}

function describe(minor: number, clock: Clock): NodeResources {
  const resources = createResources(clock);
  const put = (type: string, id: string, spec: unknown) =>
    resources.put({ namespace: "meta", type, id }, { spec });
  for (const [id, spec] of definitionsFor(minor)) {
    put(metaType.definition, id, spec);
  }
  for (const [id, description] of Object.entries(namespacesFor(minor))) {
    put(metaType.namespace, id, { description });
  }
  return resources;
}

/** True if resources of a kind are the same on every node. */
export function isShared(
  { namespace, type }: Omit<ResourceKey, "id">,
): boolean {
  return namespace === "cluster" && sharedTypes.has(type);
}

const sharedTypes: ReadonlySet<string> = new Set([
  `Members.cluster.${domain}`,
  `Affiliates.cluster.${domain}`,
]);

function findDefinition(
  type: string,
  defaultNamespace: string,
  { aliases: given, columns = [], sensitive = false, automatic = true }: {
    readonly aliases: readonly string[];
    readonly columns?: DefinitionSpec["printColumns"];
    readonly sensitive?: boolean;
    readonly automatic?: boolean;
  },
): DefinitionSpec {
  const [name = "", ...suffix] = type.split(".");
  const displayType = singular(name);
  const aliases = automatic
    ? [...given, displayType.toLowerCase(), ...initials(name)]
    : given;
  const lower = name.toLowerCase();
  const qualified = suffix.slice(0, -1).map((_, index) =>
    [lower, ...suffix.slice(0, index + 1)].join(".")
  );
  return {
    type,
    displayType,
    defaultNamespace,
    aliases,
    allAliases: automatic ? [lower, ...qualified, ...aliases] : aliases,
    ...(automatic ? {} : { skipAutomaticAliases: true }),
    printColumns: columns,
    ...(sensitive ? { sensitivity: "sensitive" } : {}),
  };
}

/** Initials of a name with several capital letters; also in plural, unless they end like one. */
function initials(name: string): readonly string[] {
  const letters = name.replaceAll(/[^A-Z]/g, "");
  if (letters.length < 2) return [];
  const lower = letters.toLowerCase();
  return letters.endsWith("S") ? [lower] : [lower, `${lower}s`];
}

/** Singular of a plural name by the rules nodes use; they make `DNSResolveCach`, too. */
function singular(name: string): string {
  if (name.endsWith("ies")) return `${name.slice(0, -3)}y`;
  if (/(?:x|ch|ss|sh|[^aou]us)es$/.test(name)) return name.slice(0, -2);
  return name.slice(0, -1);
}

/** Resources a fake node has. */

export interface FakeResource {
  /** Full type, `Links.net.talos.dev` unless given. */
  readonly type?: string;
  /** Namespace, `network` unless given. */
  readonly namespace?: string;
  readonly id: string;
  /** Version, `1` unless given. */
  readonly version?: string;
  readonly spec: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A resource as the wire has it. */
export function resource(fake: FakeResource) {
  return {
    metadata: {
      namespace: fake.namespace ?? "network",
      type: fake.type ?? "Links.net.talos.dev",
      id: fake.id,
      version: fake.version ?? "1",
      owner: "network.LinkController",
      phase: "running",
      created: { seconds: 1_767_323_045n, nanos: 999_000_000 },
      updated: { seconds: 1_767_323_105n },
      ...fake.metadata,
    },
    spec: { yamlSpec: fake.spec },
  };
}

const definitions: Readonly<Record<string, string>> = {
  "links.net.talos.dev": `type: Links.net.talos.dev
displayType: Link
defaultNamespace: network
aliases: [link]
allAliases: [link, links, l]
printColumns:
    - name: Type
      jsonPath: '{.type}'
    - name: Addresses
      jsonPath: '{.addresses[*]}'
    - name: Broken
      jsonPath: '{.a'
`,
  "labels.k8s.talos.dev": `type: Labels.k8s.talos.dev
displayType: Label
defaultNamespace: k8s
allAliases: [label, labels, l]
`,
  "machineconfigs.config.talos.dev": `type: MachineConfigs.config.talos.dev
displayType: MachineConfig
defaultNamespace: config
allAliases: [machineconfig, mc]
`,
  "secrets.k8s.talos.dev": `type: Secrets.k8s.talos.dev
displayType: Secret
defaultNamespace: k8s
allAliases: [secret]
sensitivity: sensitive
`,
  "resourcedefinitions.meta.cosi.dev": `type: ResourceDefinitions.meta.cosi.dev
displayType: ResourceDefinition
defaultNamespace: meta
allAliases: [rd]
printColumns:
    - name: Aliases
      jsonPath: '{.aliases[:]}'
`,
};

/**
 * Answers `List`: definitions for their type, else what is given.
 *
 * @param found Resources of the type that is asked for.
 */
export function lists(...found: readonly FakeResource[]) {
  return async function* (request: { namespace: string; type: string }) {
    const all = request.type === "ResourceDefinitions.meta.cosi.dev"
      ? Object.entries(definitions).map(([id, spec]) => ({
        id,
        spec,
        namespace: "meta",
        type: request.type,
      }))
      : found.filter((
        { type = "Links.net.talos.dev", namespace = "network" },
      ) => type === request.type && namespace === request.namespace);
    for (const one of all) yield { resource: resource(one) };
  };
}

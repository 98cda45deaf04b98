/** Settings of a configuration that a node applies while running. */

import { type Cursor, toCursor } from "../../config/documents/cursor.ts";
import type { ConfigDocument } from "../../config/documents/load.ts";
import type { Plain } from "../../config/tree/node.ts";
import { toPlain } from "../../config/tree/resolve.ts";
import { firstDocuments } from "./machine_config.ts";
import type { SimulatedNode } from "./node.ts";
import { mainIn, readDocuments } from "./node_configuration.ts";

/** Strings by name. */
export type Texts = Readonly<Record<string, string>>;

/** A JSON object. */
export type PlainFields = { readonly [key: string]: Plain | undefined };

interface RegistryMirror {
  /** Mirrors, in the order they are tried. */
  readonly endpoints: readonly {
    readonly endpoint: string;
    /** True if its path is used unchanged. */
    readonly overridePath: boolean;
  }[];
  /** Present if the registry itself is not used as a fallback. */
  readonly skipFallback?: true;
}

/** Settings of a configuration; empty if unset. */
export interface NodeSettings {
  /** Domain of the host name; empty without one. */
  readonly domainName: string;
  /** Values of kernel parameters by resource ID: `proc.sys.vm.nr_hugepages`. */
  readonly kernelParameters: Texts;
  readonly nameServers: readonly string[];
  readonly searchDomains: readonly string[];
  /** True if the domain of the host name is also a search domain. */
  readonly searchesOwnDomain: boolean;
  /** True if member names are resolved. */
  readonly resolvesMembers: boolean;
  /** Names or addresses of time servers. */
  readonly timeServers: readonly string[];
  /** True if the node does not sync its clock. */
  readonly timeSyncDisabled: boolean;
  readonly labels: Texts;
  readonly annotations: Texts;
  /** Taints of the node: `value:effect` or `effect` by key. */
  readonly taints: Texts;
  /** True if control planes are schedulable. */
  readonly schedulesOnControlPlanes: boolean;
  readonly mirrors: Readonly<Record<string, RegistryMirror>>;
  readonly kubelet: KubeletSettings;
  /** True if the API server has its own document. */
  readonly splitsApiServer: boolean;
  /** Encryption of Kubernetes data in etcd; empty unless set by a document. */
  readonly etcdEncryption: PlainFields;
  /** URL of the management service for the node's tunnel. */
  readonly tunnelEndpoint: string | undefined;
  readonly pods: readonly PlainFields[];
  /** YAML of inline manifests, by name. */
  readonly inlineManifests: Texts;
  /** Addresses of the wired link, with prefix lengths. */
  readonly addresses: readonly string[];
  readonly gateway: string | undefined;
  /** True if the wired link also uses DHCP. */
  readonly dhcp: boolean;
}

interface KubeletSettings {
  /** Arguments without dashes, each with one or more values. */
  readonly extraArgs: Readonly<Record<string, readonly string[]>>;
  /** Fields of the component's configuration file. */
  readonly extraConfig: PlainFields;
  /** Addresses of the cluster's name servers; empty for the default. */
  readonly clusterDns: readonly string[];
}

/** Cache of settings by documents, which many nodes may share. */
const ofDocuments = new WeakMap<readonly ConfigDocument[], NodeSettings>();

/** Settings of a node's running configuration; the same object until it changes. */
export function readSettings(node: SimulatedNode): NodeSettings {
  if (!node.disk.configured) return nothing;
  const own = node.boot.liveConfiguration ?? node.disk.configuration;
  // Initial configurations differ only in names, which do not matter here.
  const documents = own === undefined
    ? firstDocuments(node)
    : readDocuments(node);
  const known = ofDocuments.get(documents) ?? settingsIn(documents);
  ofDocuments.set(documents, known);
  return known;
}

const nothing: NodeSettings = settingsIn([]);

/** Reads the settings of documents. */
export function settingsIn(
  documents: readonly ConfigDocument[],
): NodeSettings {
  const main = mainIn(documents);
  const machine = main.get("machine");
  const cluster = main.get("cluster");
  const network = machine.get("network");
  const own = (kind: string) =>
    documents.filter((document) => document.kind === kind)
      .map(({ root }) => toCursor(root));
  const [hostname = ""] = [
    ...own("HostnameConfig").map((document) => document.get("hostname")),
    network.get("hostname"),
  ].flatMap((place) => place.text() ?? []);
  return {
    domainName: hostname.split(".").slice(1).join("."),
    kernelParameters: {
      ...withPrefix("proc.sys", machine.get("sysctls")),
      ...withPrefix("sys", machine.get("sysfs")),
    },
    nameServers: [
      ...readTexts(network.get("nameservers")),
      ...own("ResolverConfig").flatMap((document) =>
        document.get("nameservers").items()
      ).flatMap((server) => server.get("address").text() ?? []),
    ],
    searchDomains: readTexts(network.get("searchDomains")),
    searchesOwnDomain: network.get("disableSearchDomain").truth() !== true &&
      own("ResolverConfig").every((document) =>
        document.get("searchDomains", "disableDefault").truth() !== true
      ),
    resolvesMembers: [
      machine.get("features", "hostDNS"),
      ...own("ResolverConfig").map((document) => document.get("hostDNS")),
    ].some((dns) =>
      dns.get("enabled").truth() === true &&
      dns.get("resolveMemberNames").truth() === true
    ),
    timeServers: readTexts(machine.get("time", "servers")),
    timeSyncDisabled: machine.get("time", "disabled").truth() === true ||
      own("TimeSyncConfig").some((document) =>
        document.get("enabled").truth() === false
      ),
    labels: textFields(machine.get("nodeLabels")),
    annotations: textFields(machine.get("nodeAnnotations")),
    taints: textFields(machine.get("nodeTaints")),
    schedulesOnControlPlanes:
      cluster.get("allowSchedulingOnControlPlanes").truth() === true,
    mirrors: mirrorsIn(
      machine.get("registries", "mirrors"),
      own("RegistryMirrorConfig"),
    ),
    kubelet: kubeletIn(machine.get("kubelet")),
    splitsApiServer: own("KubeAPIServerConfig").length > 0,
    etcdEncryption: own("KubeEtcdEncryptionConfig")
      .map((document) => readFields(document.get("config")))[0] ?? {},
    tunnelEndpoint: own("SideroLinkConfig")[0]?.get("apiUrl").text(),
    pods: [
      ...machine.get("pods").items().map(readFields),
      ...own("KubeStaticPodConfig").map((document) =>
        readFields(document.get("pod"))
      ),
    ],
    inlineManifests: Object.fromEntries(
      [
        ...cluster.get("inlineManifests").items(),
        ...own("KubeInlineManifestConfig"),
      ].map((manifest) => [
        manifest.get("name").text() ?? "",
        manifest.get("contents").text() ?? "",
      ]),
    ),
    ...linkIn(network.get("interfaces").items(), own("LinkConfig")),
  };
}

/** Settings of the wired link, the only link of a simulated node. */
function linkIn(
  interfaces: readonly Cursor[],
  documents: readonly Cursor[],
): Pick<NodeSettings, "addresses" | "gateway" | "dhcp"> {
  const old = interfaces.filter((link) =>
    link.get("deviceSelector").node !== undefined ||
    isWired(link.get("interface"))
  );
  const links = documents.filter((link) => isWired(link.get("name")));
  const routes = [...old, ...links].flatMap((link) =>
    link.get("routes").items()
  );
  const route = routes.find((one) => {
    const network = one.get("network").text() ?? one.get("destination").text();
    return network === undefined || /^(0\.0\.0\.0|::)\/0$/.test(network);
  });
  const addresses = [
    ...old.flatMap((link) => [
      ...readTexts(link.get("addresses")),
      ...link.get("cidr").text() ?? [],
    ]),
    ...links.flatMap((link) => link.get("addresses").items())
      .flatMap((item) => item.get("address").text() ?? []),
  ];
  return {
    addresses: addresses.filter((address) => address !== ""),
    gateway: route?.get("gateway").text(),
    dhcp: addresses.length === 0 ||
      old.some((link) => link.get("dhcp").truth() === true),
  };
}

function isWired(name: Cursor): boolean {
  return ["eth0", "net0", "enp0s2"].includes(name.text() ?? "");
}

function mirrorsIn(
  old: Cursor,
  documents: readonly Cursor[],
): NodeSettings["mirrors"] {
  const all: readonly RegistryMirrorEntry[] = [
    ...old.entries().map(([name, mirror]): RegistryMirrorEntry => [
      name,
      readTexts(mirror.get("endpoints")).map((endpoint) => ({
        endpoint,
        overridePath: mirror.get("overridePath").truth() === true,
      })),
      mirror,
    ]),
    ...documents.map((mirror): RegistryMirrorEntry => [
      mirror.get("name").text() ?? "",
      mirror.get("endpoints").items().map((item) => ({
        endpoint: item.get("url").text() ?? "",
        overridePath: item.get("overridePath").truth() === true,
      })),
      mirror,
    ]),
  ];
  return Object.fromEntries(all.map(([name, endpoints, mirror]) => {
    const skips = mirror.get("skipFallback").truth() === true;
    return [name, {
      endpoints,
      ...(skips ? { skipFallback: true as const } : {}),
    }];
  }));
}

type RegistryMirrorEntry = readonly [
  name: string,
  endpoints: RegistryMirror["endpoints"],
  mirror: Cursor,
];

function kubeletIn(kubelet: Cursor): KubeletSettings {
  return {
    extraArgs: Object.fromEntries(
      kubelet.get("extraArgs").entries().map(([name, value]) => {
        const single = value.text();
        return [name, single === undefined ? readTexts(value) : [single]];
      }),
    ),
    extraConfig: readFields(kubelet.get("extraConfig")),
    clusterDns: readTexts(kubelet.get("clusterDNS")),
  };
}

function readFields({ node }: Cursor): PlainFields {
  // A mapping becomes an object.
  return node?.kind === "map" ? toPlain(node) as PlainFields : {};
}

function readTexts(list: Cursor): readonly string[] {
  return list.items().flatMap((item) => item.text() ?? []);
}

function textFields(map: Cursor): Texts {
  return Object.fromEntries(
    map.entries().map(([name, value]) => [name, value.text() ?? ""]),
  );
}

function withPrefix(prefix: string, map: Cursor): Texts {
  return Object.fromEntries(
    Object.entries(textFields(map)).map((
      [name, value],
    ) => [`${prefix}.${name}`, value]),
  );
}

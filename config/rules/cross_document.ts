/** Settings of the main document that have moved to separate documents. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { podAccessField } from "../../talos.ts";
import type { RuleContext, RuleDocument } from "./context.ts";
import { addressFamily } from "../../lib/ip.ts";
import {
  isGiven,
  isSplit,
  listDocuments,
  listTexts,
  readRole,
  readText,
} from "./checks.ts";

/** Conflicting locations in the main document. */
type Rivals = (main: Cursor, other: RuleDocument) => readonly Cursor[];

const rivals: ReadonlyMap<string, Rivals> = new Map([
  ["HostnameConfig", hostnames],
  ["ResolverConfig", resolvers],
  ["TimeSyncConfig", times],
  ["VolumeConfig", encryptions],
  ...Object.entries({
    KubeSpanConfig: ["machine.network.kubespan"],
    DiscoveryServiceConfig: ["cluster.discovery"],
    DiscoveryIdentityConfig: ["cluster.id", "cluster.secret"],
    UnattendedInstallConfig: ["machine.install"],
    ImageCacheConfig: ["machine.features.imageCache"],
    CRIBaseRuntimeSpecConfig: ["machine.baseRuntimeSpecOverrides"],
    KubeClusterConfig: ["cluster.clusterName", "cluster.controlPlane.endpoint"],
    KubeNetworkConfig: ["cluster.network"],
    KubeFlannelCNIConfig: ["cluster.network"],
    KubeAPIServerCAConfig: ["cluster.ca"],
    KubeAggregatorCAConfig: ["cluster.aggregatorCA"],
    KubeServiceAccountConfig: ["cluster.serviceAccount"],
    KubeEtcdEncryptionConfig: [
      "cluster.secretboxEncryptionSecret",
      "cluster.aescbcEncryptionSecret",
    ],
    KubeAPIServerConfig: [
      "cluster.apiServer",
      "cluster.controlPlane.localAPIServerPort",
    ],
    KubeAdmissionControlConfig: ["cluster.apiServer.admissionControl"],
    KubeAuthorizerConfig: ["cluster.apiServer.admissionControl"],
    KubeAuditPolicyConfig: ["cluster.apiServer.auditPolicy"],
    KubeControllerManagerConfig: [
      "cluster.controllerManager",
      "machine.controlPlane.controllerManager",
    ],
    KubeSchedulerConfig: [
      "cluster.scheduler",
      "machine.controlPlane.scheduler",
    ],
    KubeProxyConfig: ["cluster.proxy"],
    KubeCoreDNSConfig: ["cluster.coreDNS"],
    KubeletConfig: ["machine.kubelet"],
    KubeCredentialProviderConfig: ["machine.kubelet"],
    KubePrismConfig: ["machine.features.kubePrism"],
    KubeTalosAPIAccessConfig: [`machine.features.${podAccessField}`],
    KubeNodeConfig: [
      "cluster.allowSchedulingOnControlPlanes",
      "cluster.allowSchedulingOnMasters",
      "machine.kubelet.skipNodeRegistration",
      "machine.kubelet.registerWithFQDN",
      "machine.kubelet.nodeIP",
      "machine.nodeLabels",
      "machine.nodeAnnotations",
      "machine.nodeTaints",
    ],
  }).map(([kind, paths]) => [kind, pathRivals(paths)] as const),
]);

/** Locations that conflict as soon as they have a value. */
function pathRivals(paths: readonly string[]): Rivals {
  return (main) =>
    paths.map((path) => main.get(...path.split("."))).filter((place) =>
      isGiven(place) && !["", "0"].includes(place.text() ?? "given")
    );
}

/**
 * A setting must not be both in the main document and in a separate one.
 *
 * @param context With all documents; no problems without a main one.
 * @returns Problems of the main document.
 */
export function* crossDocumentRules(context: RuleContext): Iterable<Problem> {
  const main = context.documents.find(({ kind }) => kind === "v1alpha1");
  if (main === undefined) return;
  for (const other of context.documents) {
    const found = rivals.get(other.kind)?.(main.cursor, other) ?? [];
    for (const place of found) {
      const key = place.path.join(".");
      yield place.error(
        `${key} conflicts with document ${identity(other)}`,
        `Remove ${key}; the document replaces it`,
      );
    }
  }
  yield* roleRules(main.cursor, context);
  yield* encryptionRules(main.cursor, context);
  yield* resolverRules(main.cursor, context);
  yield* containerRules(context);
}

/** Some kinds are for control planes only. */
function* roleRules(main: Cursor, context: RuleContext): Iterable<Problem> {
  if (readRole(main) === "controlplane") return;
  for (const { kind, name, cursor, schema } of context.documents) {
    if (!schema?.controlPlaneOnly) continue;
    const one = identity({ kind, cursor, name });
    yield main.get("machine", "type").error(
      `Document ${one} is for control planes, and this node is a worker`,
      `Remove document ${one}`,
    );
  }
}

function* encryptionRules(
  main: Cursor,
  context: RuleContext,
): Iterable<Problem> {
  const cluster = main.get("cluster");
  const hasApi = isGiven(cluster.get("ca")) ||
    listDocuments(context, "KubeAPIServerCAConfig").length > 0;
  const secrets = ["secretboxEncryptionSecret", "aescbcEncryptionSecret"];
  if (
    !isSplit(context) || readRole(main) !== "controlplane" || !hasApi ||
    listDocuments(context, "KubeEtcdEncryptionConfig").length > 0 ||
    secrets.some((key) => readText(cluster.get(key)) !== "")
  ) return;
  yield cluster.error(
    "Encryption of Kubernetes secrets in etcd is not configured",
    "Add a KubeEtcdEncryptionConfig document",
  );
}

/** Only the node's own DNS server supports encrypted protocols. */
function* resolverRules(main: Cursor, context: RuleContext): Iterable<Problem> {
  const [resolver] = listDocuments(context, "ResolverConfig");
  const isEncrypted = resolver?.get("nameservers").elements().some((item) =>
    !["", "do53"].includes(readText(item.get("protocol")).toLowerCase())
  );
  const places = [
    resolver?.get("hostDNS", "enabled"),
    main.get("machine", "features", "hostDNS", "enabled"),
  ];
  if (!isEncrypted || places.some((place) => place?.truth() === true)) return;
  yield main.error(
    "Document ResolverConfig has encrypted DNS servers, but host DNS is not enabled",
    "Set hostDNS.enabled of ResolverConfig to true",
  );
}

/** Dependencies of containers must exist, without cycles. */
function* containerRules(context: RuleContext): Iterable<Problem> {
  const waits = new Map(
    listDocuments(context, "ContainerConfig").map((one) =>
      [
        readText(one.get("name")),
        one.get("dependsOn", "containers").elements(),
      ] as const
    ),
  );
  for (const [name, items] of waits) {
    for (const item of items) {
      const other = readText(item);
      if (other === name || other === "") continue;
      if (!waits.has(other)) {
        yield elsewhere(item.error(
          `Container "${name}" waits for "${other}", which does not exist`,
          "Name a ContainerConfig document, or remove it",
        ));
      } else if (reaches(other, name, waits)) {
        yield elsewhere(item.error(
          `Containers "${name}" and "${other}" wait for each other`,
          "Remove one of the two",
        ));
      }
    }
  }
}

/** Path in another document than the main one, named in the message. */
function elsewhere(problem: Problem): Problem {
  return { ...problem, path: "" };
}

function reaches(
  from: string,
  to: string,
  waits: ReadonlyMap<string, readonly Cursor[]>,
): boolean {
  const seen = new Set([from]);
  // Also visits names added during the loop.
  for (const name of seen) {
    for (const item of waits.get(name) ?? []) seen.add(readText(item));
  }
  return seen.has(to);
}

function identity({ kind, name }: RuleDocument): string {
  return name === undefined ? kind : `${kind}/${name}`;
}

function hostnames(main: Cursor): readonly Cursor[] {
  const name = main.get("machine", "network", "hostname");
  const stable = main.get("machine", "features", "stableHostname");
  return [
    ...(readText(name) === "" ? [] : [name]),
    ...(stable.truth() === true ? [stable] : []),
  ];
}

/** An empty list of search domains counts: it disables that of the hostname. */
function resolvers(main: Cursor, other: RuleDocument): readonly Cursor[] {
  const network = main.get("machine", "network");
  const servers = network.get("nameservers");
  const domains = network.get("searchDomains");
  const disabled = network.get("disableSearchDomain");
  const hostDns = main.get("machine", "features", "hostDNS");
  const both = other.cursor.get("hostDNS").entries().length > 0;
  const readable = listTexts(servers).some(([, server]) =>
    addressFamily(server) !== undefined
  );
  return [
    ...(readable ? [servers] : []),
    ...(isGiven(domains) ? [domains] : []),
    ...(disabled.truth() === true ? [disabled] : []),
    ...(both && isGiven(hostDns) ? [hostDns] : []),
  ];
}

function times(main: Cursor): readonly Cursor[] {
  const time = main.get("machine", "time");
  const disabled = time.get("disabled");
  const servers = time.get("servers");
  const timeout = time.get("bootTimeout");
  return [
    ...(disabled.truth() === true ? [disabled] : []),
    ...(listTexts(servers).length > 0 ? [servers] : []),
    ...(/[1-9]/.test(readText(timeout)) ? [timeout] : []),
  ];
}

function encryptions(main: Cursor, other: RuleDocument): readonly Cursor[] {
  const provider = readText(other.cursor.get("encryption", "provider"));
  const part = new Map([["STATE", "state"], ["EPHEMERAL", "ephemeral"]])
    .get(other.name ?? "");
  if (part === undefined || provider === "" || provider === "none") return [];
  const encryption = main.get("machine", "systemDiskEncryption", part);
  return isGiven(encryption) ? [encryption] : [];
}

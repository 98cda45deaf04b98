import { staticAddresses } from "../../config/change/unique_values.ts";
import { type Cursor, toCursor } from "../../config/documents/cursor.ts";
import {
  type ConfigDocument,
  loadDocuments,
} from "../../config/documents/load.ts";
import { firstDocuments, machineConfig } from "./machine_config.ts";
import type { SimulatedNode } from "./node.ts";
import { joinedMain } from "./split_configuration.ts";
import {
  certificatesIn,
  clusterTrustSpec,
  includesCa,
  noTrust,
  ownTrust,
  sameTrust,
  type SimulatedTrust,
  type TrustSpec,
  trustSpec,
} from "./trust.ts";

/** Applies a persistent configuration to a node. */
export async function configure(
  node: SimulatedNode,
  text: string,
): Promise<void> {
  node.disk.configuration = text;
  node.disk.configured = true;
  node.boot.liveConfiguration = undefined;
  await loadIdentity(node);
}

/** Updates the identity and trust of a node from its running configuration. */
export async function loadIdentity(node: SimulatedNode): Promise<void> {
  const { origin } = node;
  if (node.boot.liveConfiguration ?? node.disk.configuration) {
    const documents = readDocuments(node);
    const type = machineIn(documents).get("type").text();
    const isWorker = type !== "controlplane" && type !== "init";
    node.identity = {
      ...origin,
      hostname: hostnameIn(documents) ?? origin.hostname,
      address: addressFor(node, documents),
      machineType: isWorker ? "worker" : "controlplane",
    };
  } else node.identity = { ...origin, address: addressFor(node, []) };
  await trustAsConfigured(node);
}

/**
 * Updates the trust of a node from its configuration, for both the node API and Kubernetes.
 * Control planes have the CA keys in their configuration and sign for workers.
 */
async function trustAsConfigured(node: SimulatedNode): Promise<void> {
  node.trust = await findTrust(node) ?? noTrust;
  const before = node.kubernetes.trust;
  const kubernetes = await ownTrust(toSpec(node, "k8s"), node.clock);
  node.kubernetes.trust = kubernetes;
  if (!sameTrust(before, kubernetes)) node.kubernetes.renew();
}

/** Finds the node API CAs that a node trusts by its configuration. Returns `undefined` while no certificate is signed for it. */
export async function findTrust(
  node: SimulatedNode,
): Promise<SimulatedTrust | undefined> {
  const spec = toSpec(node, "os");
  const own = await ownTrust(spec, node.clock);
  if (own.issuer) return own;
  return spec.ca.key ? undefined : trustFromOthers(node, spec);
}

function toSpec(node: SimulatedNode, which: "os" | "k8s"): TrustSpec {
  if (node.boot.liveConfiguration ?? node.disk.configuration) {
    return trustSpec(
      findMain(node).get(which === "os" ? "machine" : "cluster"),
    );
  }
  const spec = clusterTrustSpec(node.cluster.secrets, which);
  return node.identity.machineType === "controlplane"
    ? spec
    : { ...spec, ca: { crt: spec.ca.crt ?? "" } };
}

/** Install image from a node's configuration, if set. */
export function installImage(node: SimulatedNode): string | undefined {
  return machineIn(readDocuments(node)).get("install", "image").text();
}

/** Cache of documents by node, with their source text. */
const ofNodes = new WeakMap<
  SimulatedNode,
  { readonly text: string; readonly documents: readonly ConfigDocument[] }
>();

/** Documents of a node's running configuration; the same objects until it changes. */
export function readDocuments(node: SimulatedNode): readonly ConfigDocument[] {
  const text = machineConfig(node);
  const known = ofNodes.get(node);
  if (known?.text === text) return known.documents;
  const { documents } = loadDocuments(text, "config.yaml");
  ofNodes.set(node, { text, documents });
  return documents;
}

/** Root of the main document of a node's running configuration. */
export function findMain(node: SimulatedNode): Cursor {
  const own = node.boot.liveConfiguration ?? node.disk.configuration;
  // The initial configuration is not parsed for every node.
  return mainIn(own === undefined ? firstDocuments(node) : readDocuments(node));
}

/** The fault overrides the configuration, which overrides the network. */
function addressFor(
  { faults, origin: { address } }: SimulatedNode,
  documents: readonly ConfigDocument[],
): string {
  const fault = faults.get("address-moves");
  if (fault) return fault.node ?? neighbour(address);
  // Other nodes cannot reach the address of a tunnel.
  const links = documents.filter(({ kind }) => kind !== "WireguardConfig");
  return staticAddresses(links)[0] ?? address;
}

/** A nearby address: `10.5.0.103` for `10.5.0.3`. */
function neighbour(address: string): string {
  return address.includes(":")
    ? address.replace(/[0-9a-f]*$/, "fade")
    : address.replace(/\d+$/, (part) => String((Number(part) + 100) % 250));
}

/** Host name up to the first dot, without the domain. */
function hostnameIn(
  documents: readonly ConfigDocument[],
): string | undefined {
  const own = documents.find(({ kind }) => kind === "HostnameConfig");
  const name = (own && toCursor(own.root).get("hostname").text()) ??
    machineIn(documents).get("network", "hostname").text();
  return name?.split(".")[0];
}

function machineIn(documents: readonly ConfigDocument[]): Cursor {
  return mainIn(documents).get("machine");
}

/** Cache of main document roots: read far more often than configurations change. */
const mains = new WeakMap<readonly ConfigDocument[], Cursor>();

/** Root of the main document, merged with the split documents of v1.14; an empty map if there is none. */
export function mainIn(documents: readonly ConfigDocument[]): Cursor {
  const main = mains.get(documents) ?? toCursor(joinedMain(documents));
  mains.set(documents, main);
  return main;
}

/**
 * Trust of a worker: a control plane that it trusts signs its certificate, and it accepts the CAs
 * that the control plane accepts. Returns `undefined` while there is no such control plane.
 */
function trustFromOthers(
  node: SimulatedNode,
  spec: TrustSpec,
): SimulatedTrust | undefined {
  const { cluster } = node;
  const own = certificatesIn(spec);
  const servers = cluster.nodes.filter((one) =>
    one !== node && one.disk.configured &&
    one.identity.machineType === "controlplane"
  );
  const [first] = servers
    .filter(({ trust: { issuer } }) => issuer && includesCa(own, issuer))
    .toSorted((one, other) => +other.boot.reachable - +one.boot.reachable);
  if (first) return first.trust;
  // The other nodes are still being created.
  const { osCa } = cluster;
  return cluster.nodes.length === 0 && includesCa(own, osCa)
    ? { issuer: osCa, accepted: [osCa.certificate] }
    : undefined;
}

/** Machine configurations of simulated nodes, made as a user would make them. */

import {
  type Contract,
  newestContract,
  parseContract,
} from "../config/generate/contract.ts";
import { machineConfig as generate } from "../config/generate/machine_config.ts";
import type { SecretsBundle } from "../config/generate/secrets.ts";
import { encodeDocuments } from "../config/documents/encode.ts";
import type { ConfigDocument } from "../config/documents/load.ts";
import { applyPatches, readPatch } from "../config/patch.ts";
import { imagePrefix } from "../dialect.ts";
import { ConfigError } from "../errors.ts";
import type { ClusterFacts } from "./cluster_facts.ts";
import type { MachineType, SimulatedNode } from "./node.ts";

/** Configuration the node runs with: YAML. */
export function machineConfig(node: SimulatedNode): string {
  return node.liveConfiguration ?? persistentConfig(node);
}

/** Configuration on the node's disk, which its next boot takes: YAML. */
export function persistentConfig(node: SimulatedNode): string {
  return node.configuration ?? firstConfig(node);
}

const first = new WeakMap<SimulatedNode, string>();

/** Every boot reads it, and it takes a while to write. */
function firstConfig(node: SimulatedNode): string {
  const text = first.get(node) ?? initialConfig(node);
  first.set(node, text);
  return text;
}

/** Configuration the node was made with. */
function initialConfig({ cluster, origin }: SimulatedNode): string {
  const { hostname, machineType } = origin;
  const documents = documentsOf(cluster, machineType);
  const named = documents.some(({ kind }) => kind === "HostnameConfig")
    ? { apiVersion: "v1alpha1", kind: "HostnameConfig", hostname, auto: "off" }
    : { machine: { network: { hostname } } };
  const patch = readPatch(JSON.stringify(named), "hostname");
  return encodeDocuments(applyPatches(documents, [patch]).documents);
}

const made = new WeakMap<
  ClusterFacts,
  Map<MachineType, readonly ConfigDocument[]>
>();

/** What nodes of one kind have in common; made once, since there may be thousands. */
function documentsOf(
  cluster: ClusterFacts,
  role: MachineType,
): readonly ConfigDocument[] {
  const known = made.get(cluster) ?? new Map();
  made.set(cluster, known);
  const documents = known.get(role) ?? newDocuments(cluster, role);
  known.set(role, documents);
  return documents;
}

function newDocuments(
  { name, nodes, secrets, kubernetes, release }: ClusterFacts,
  role: MachineType,
): readonly ConfigDocument[] {
  const address = nodes[0]?.origin.address ?? "127.0.0.1";
  const tag = release.tag;
  return clusterDocuments({ name, address, secrets, kubernetes, tag }, role);
}

/** What the configurations of a simulated cluster follow from. */
export interface ConfiguredCluster {
  /** Name of the cluster. */
  readonly name: string;
  /** Address of the first control plane. */
  readonly address: string;
  /** Keys, certificates and tokens. */
  readonly secrets: SecretsBundle;
  /** Version of Kubernetes, without `v`. */
  readonly kubernetes: string;
  /** Version of the operating system, with `v`. */
  readonly tag: string;
}

/** Configuration of the nodes of one kind. */
export function clusterDocuments(
  { name, address, secrets, kubernetes, tag }: ConfiguredCluster,
  role: MachineType,
): readonly ConfigDocument[] {
  const host = address.includes(":") ? `[${address}]` : address;
  return generate({
    clusterName: name,
    endpoint: `https://${host}:6443`,
    contract: contractOf(tag),
    secrets,
    kubernetesVersion: kubernetes,
    installDisk: "/dev/vda",
    installImage: `${imagePrefix}/installer:${tag}`,
  }, role);
}

/** Nodes of a release that is newer than this program take configurations of the newest it knows. */
function contractOf(tag: string): Contract {
  try {
    return parseContract(tag);
  } catch (error) {
    if (error instanceof ConfigError) return newestContract;
    throw error;
  }
}

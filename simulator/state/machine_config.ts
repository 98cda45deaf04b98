/** Machine configurations of simulated nodes, generated as by a user. */

import { urlHost } from "../../lib/ip.ts";
import { encodeDocuments } from "../../config/documents/encode.ts";
import type { ConfigDocument } from "../../config/documents/load.ts";
import {
  type Contract,
  newestContract,
  parseContract,
} from "../../config/generate/contract.ts";
import { machineConfig as generate } from "../../config/generate/machine_config.ts";
import type { SecretsBundle } from "../../config/generate/secrets.ts";
import { applyPatches, readPatch } from "../../config/patch.ts";
import { defaultInstaller } from "../../config/releases.ts";
import { ConfigError } from "../../errors.ts";
import type { SimulatedNode } from "./node.ts";
import type { MachineType } from "./node_identity.ts";

/** Running configuration of a node, YAML. */
export function machineConfig(node: SimulatedNode): string {
  return node.boot.liveConfiguration ?? persistentConfig(node);
}

/** Configuration on the node's disk for its next boot, YAML. */
export function persistentConfig(node: SimulatedNode): string {
  return node.disk.configuration ?? firstConfig(node);
}

/** Cache by cluster secrets; many clusters may share the same. */
const made = new WeakMap<SecretsBundle, Made>();

interface Made {
  /** Configurations by their inputs. */
  readonly texts: Map<string, string>;
  /** Documents that nodes of one kind share: slow to generate, for possibly thousands of nodes. */
  readonly documents: Map<string, readonly ConfigDocument[]>;
}

/** Initial configuration of a node; read by every boot. */
function firstConfig(node: SimulatedNode): string {
  const { origin: { hostname }, cluster: { secrets } } = node;
  const { texts } = madeFrom(secrets);
  const place = `${findKind(node)} ${hostname}`;
  const text = texts.get(place) ?? withHostname(firstDocuments(node), hostname);
  texts.set(place, text);
  return text;
}

/** Initial configuration of a node, except for its name; shared by nodes of one kind. */
export function firstDocuments(
  node: SimulatedNode,
): readonly ConfigDocument[] {
  const { cluster, origin: { machineType } } = node;
  const { name, secrets, kubernetes, release: { tag } } = cluster;
  const { documents } = madeFrom(secrets);
  const kind = findKind(node);
  const found = documents.get(kind) ??
    clusterDocuments(
      { name, address: firstAddress(node), secrets, kubernetes, tag },
      machineType,
    );
  documents.set(kind, found);
  return found;
}

function madeFrom(secrets: SecretsBundle): Made {
  const known = made.get(secrets) ?? { texts: new Map(), documents: new Map() };
  made.set(secrets, known);
  return known;
}

function firstAddress({ cluster: { nodes } }: SimulatedNode): string {
  return nodes[0]?.origin.address ?? "127.0.0.1";
}

/** Cache key: the inputs of a node kind's configuration. */
function findKind(node: SimulatedNode): string {
  const { cluster: { name, kubernetes, release: { tag } }, origin } = node;
  const { machineType } = origin;
  return [name, firstAddress(node), kubernetes, tag, machineType].join("\n");
}

function withHostname(
  documents: readonly ConfigDocument[],
  hostname: string,
): string {
  const name = documents.some(({ kind }) => kind === "HostnameConfig")
    ? { apiVersion: "v1alpha1", kind: "HostnameConfig", hostname, auto: "off" }
    : { machine: { network: { hostname } } };
  const patch = readPatch(JSON.stringify(name), "hostname");
  return encodeDocuments(applyPatches(documents, [patch]).documents);
}

/** Configuration of the nodes of one kind. */
export function clusterDocuments(
  { name, address, secrets, kubernetes, tag }: {
    readonly name: string;
    readonly address: string;
    readonly secrets: SecretsBundle;
    readonly kubernetes: string;
    readonly tag: string;
  },
  role: MachineType,
): readonly ConfigDocument[] {
  return generate({
    clusterName: name,
    endpoint: `https://${urlHost(address)}:6443`,
    contract: decodeContract(tag),
    secrets,
    kubernetesVersion: kubernetes,
    installDisk: "/dev/vda",
    installImage: defaultInstaller(tag),
  }, role);
}

/** Nodes of a release newer than this program get configurations of the newest known release. */
function decodeContract(tag: string): Contract {
  try {
    return parseContract(tag);
  } catch (error) {
    if (error instanceof ConfigError) return newestContract;
    throw error;
  }
}

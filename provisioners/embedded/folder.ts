/** Files of a simulated cluster: specification, node data and client access. */

import { encodeDocuments } from "../../config/documents/encode.ts";
import { removeIfThere, writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { clusterDocuments } from "../../simulator/state/machine_config.ts";
import {
  loadCluster,
  type Store,
} from "../../simulator/cluster/saved_state.ts";
import type { SimulatedNode } from "../../simulator/state/node.ts";
import { defaultVersions } from "../../simulator/release/release.ts";
import type { EtcdChoice } from "./etcd_choice.ts";
import type { ClusterAccess } from "../provisioner.ts";
import {
  type ClusterLocation,
  clusterNotFound,
  joinFolder,
  type LocalCluster,
  readJson,
} from "../state.ts";

/** Specification of a simulated cluster. */
export interface EmbeddedSpec {
  /** Number of control planes, at least 1. */
  readonly controlplanes: number;
  readonly workers: number;
  /** Talos version with leading `v`; omitted for the default. */
  readonly osVersion?: string | undefined;
  /** Version of Kubernetes without `v`. */
  readonly kubernetesVersion: string;
  /** True if the nodes start in maintenance mode. */
  readonly unconfigured?: boolean;
  /** etcd of control planes; default a model. */
  readonly etcd?: EtcdChoice;
  /** Duration of reboots; default `instant`. */
  readonly pace?: (typeof paceNames)[number];
}

/** Duration of reboots: like a fast machine, a quarter of that, or none. */
export const paceNames = ["machine", "fast", "instant"] as const;

/** Stored specification, with values determined at the first start. */
export interface SavedSpec extends EmbeddedSpec {
  readonly cidr?: string;
  /** Port of every node, control planes first. */
  readonly ports?: readonly number[];
}

type StartOutcome =
  | {
    /** Process id of the running nodes. */
    readonly pid: number;
    readonly access: ClusterAccess;
  }
  | {
    /** Process id of the failed start. */
    readonly pid: number;
    readonly error: string;
    readonly hint?: string | undefined;
  };

/** Reads the specification of a cluster. Returns `undefined` if there is no simulated cluster of this name. */
export function readSpec(
  place: ClusterLocation,
): Promise<SavedSpec | undefined> {
  return readJson(specPath(place));
}

/** Writes the specification of a cluster. */
export async function writeSpec(
  place: ClusterLocation,
  spec: SavedSpec,
): Promise<void> {
  await writeFileAtomic(specPath(place), JSON.stringify(spec));
}

/** Reads the outcome of the last start. Returns `undefined` while it is in progress. */
export function readOutcome(
  place: ClusterLocation,
): Promise<StartOutcome | undefined> {
  return readJson(outcomePath(place));
}

/** Writes the outcome of a start. `outcome`: omitted to clear it for a new start. */
export async function writeOutcome(
  place: ClusterLocation,
  outcome?: StartOutcome,
): Promise<void> {
  if (outcome === undefined) return await removeIfThere(outcomePath(place));
  await writeFileAtomic(outcomePath(place), JSON.stringify(outcome));
}

/** Opens the node data of a cluster. */
export function openStore(place: ClusterLocation): Store {
  return folderStore(`${joinFolder(place)}/nodes`);
}

/** Creates a store with one file per entry. */
export function folderStore(folder: string): Store {
  return {
    async read(name) {
      try {
        return await Deno.readTextFile(`${folder}/${name}`);
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return undefined;
        throw error;
      }
    },
    write: (name, text) => writeFileAtomic(`${folder}/${name}`, text),
  };
}

/**
 * Reads the CA of a cluster, which identifies its contexts. Returns a PEM certificate; `undefined` if the
 * cluster was never started. Throws `ConfigError` if the node data is invalid.
 */
export async function embeddedCa(
  place: ClusterLocation,
): Promise<string | undefined> {
  const saved = await loadCluster(openStore(place));
  return saved && encodePem(pemLabel.certificate, saved.osCa.certificate);
}

/**
 * Generates the machine configurations of a started cluster.
 *
 * @param address Address of the first control plane.
 * @returns YAML by role.
 * @throws {ConfigError} If there is no such cluster.
 */
export async function embeddedConfigurations(
  place: ClusterLocation,
  address: string,
): Promise<Readonly<Record<"controlplane" | "worker", string>>> {
  const [spec, saved] = await Promise.all([
    readSpec(place),
    loadCluster(openStore(place)),
  ]);
  if (spec === undefined || saved === undefined) throw clusterNotFound(place);
  const cluster = {
    name: place.name,
    address,
    secrets: saved.secrets,
    kubernetes: spec.kubernetesVersion,
    tag: spec.osVersion ?? defaultVersions.tag,
  };
  return {
    controlplane: encodeDocuments(clusterDocuments(cluster, "controlplane")),
    worker: encodeDocuments(clusterDocuments(cluster, "worker")),
  };
}

/** Returns the folder of etcd data and processes of a cluster. */
export function etcdFolder(place: ClusterLocation): string {
  return `${joinFolder(place)}/etcd`;
}

function specPath(place: ClusterLocation): string {
  return `${joinFolder(place)}/embedded.json`;
}

function outcomePath(place: ClusterLocation): string {
  return `${joinFolder(place)}/access.json`;
}

/** Creates the state of a simulated cluster. `running`: omitted if it was never started. */
export function embeddedState(name: string, running?: {
  readonly cidr: string;
  readonly nodes: readonly Pick<SimulatedNode, "identity">[];
  readonly ports: readonly number[];
}): LocalCluster {
  const nodes = (running?.nodes ?? []).map(({ identity }, index) => ({
    id: identity.address,
    uuid: identity.uuid,
    name: identity.hostname,
    type: identity.machineType,
    nanocpus: 0,
    memory: 0,
    disksize: 0,
    ips: [identity.address],
    apiport: running?.ports[index] ?? 0,
  }));
  const [first] = nodes;
  return {
    provisionername: "embedded",
    clusterinfo: {
      clustername: name,
      network: {
        name,
        cidrs: running === undefined ? [] : [running.cidr],
        gatewayaddrs: [],
        mtu: 65_536,
      },
      nodes,
      kubernetesendpoint: first === undefined ? "" : `https://${first.id}:6443`,
    },
  };
}

/** The files of a simulated cluster: what it is made of, what its nodes remember, how clients reach it. */

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

/** What a simulated cluster is made of. */
export interface EmbeddedSpec {
  /** Number of control planes, at least 1. */
  readonly controlplanes: number;
  readonly workers: number;
  /** Version of the operating system with leading `v`; omitted, the default. */
  readonly osVersion?: string | undefined;
  /** Version of Kubernetes without `v`. */
  readonly kubernetesVersion: string;
  /** True when the nodes have no configuration at first and wait for one. */
  readonly unconfigured?: boolean;
  /** What control planes run as etcd; default a model of it. */
  readonly etcd?: EtcdChoice;
  /** How long reboots take; default `instant`. */
  readonly pace?: (typeof paceNames)[number];
}

/** How nodes reboot: as long as a quick machine takes, in a quarter of that, or at once. */
export const paceNames = ["machine", "fast", "instant"] as const;

/** The specification as it is kept, with what the first start has settled. */
export interface SavedSpec extends EmbeddedSpec {
  readonly cidr?: string;
  /** Port of every node, control planes first. */
  readonly ports?: readonly number[];
}

type StartOutcome =
  | {
    /** Process that runs the nodes. */
    readonly pid: number;
    readonly access: ClusterAccess;
  }
  | {
    /** Process that could not run the nodes. */
    readonly pid: number;
    readonly error: string;
    readonly hint?: string | undefined;
  };

/** Reads what a cluster is made of. Returns `undefined` when there is no simulated cluster of this name. */
export function readSpec(
  place: ClusterLocation,
): Promise<SavedSpec | undefined> {
  return readJson(specPath(place));
}

/** Writes what a cluster is made of. */
export async function writeSpec(
  place: ClusterLocation,
  spec: SavedSpec,
): Promise<void> {
  await writeFileAtomic(specPath(place), JSON.stringify(spec));
}

/** Reads what became of the last start. Returns `undefined` while it is under way. */
export function readOutcome(
  place: ClusterLocation,
): Promise<StartOutcome | undefined> {
  return readJson(outcomePath(place));
}

/** Writes what became of a start, or forgets it. `outcome`: omitted, a start is under way. */
export async function writeOutcome(
  place: ClusterLocation,
  outcome?: StartOutcome,
): Promise<void> {
  if (outcome === undefined) return await removeIfThere(outcomePath(place));
  await writeFileAtomic(outcomePath(place), JSON.stringify(outcome));
}

/** What the nodes of a cluster remember. */
export function openStore(place: ClusterLocation): Store {
  return folderStore(`${joinFolder(place)}/nodes`);
}

/** A store with one file for each text. */
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
 * Finds the CA of a cluster, by which its contexts are known. Returns certificate, PEM;
 * `undefined` when it was never started. Throws `ConfigError` if what the nodes remember cannot be
 * read.
 */
export async function embeddedCa(
  place: ClusterLocation,
): Promise<string | undefined> {
  const saved = await loadCluster(openStore(place));
  return saved && encodePem(pemLabel.certificate, saved.osCa.certificate);
}

/**
 * Makes the configurations for the nodes of a cluster that was started.
 *
 * @param address Address of the first control plane.
 * @returns YAML, by what the nodes do.
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

/** Folder of the data and processes of a cluster's etcd. */
export function etcdFolder(place: ClusterLocation): string {
  return `${joinFolder(place)}/etcd`;
}

function specPath(place: ClusterLocation): string {
  return `${joinFolder(place)}/embedded.json`;
}

function outcomePath(place: ClusterLocation): string {
  return `${joinFolder(place)}/access.json`;
}

/** Describes a simulated cluster. `running`: omitted, it was never started. */
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

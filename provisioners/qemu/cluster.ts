/** Cluster of virtual machines as stored in its folder. */

import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { type ClusterLocation, joinFolder, readJson } from "../state.ts";
import type { AgentPlan } from "./agent/plan.ts";
import type { Accelerator, Machine } from "./machine.ts";
import type { Attachment, BridgeNetwork } from "./bridge_network.ts";
import type { QemuSpec } from "./spec.ts";

/** A machine of a cluster. */
export interface ClusterMachine extends Machine {
  readonly type: "init" | "controlplane" | "worker";
  /** Addresses, in the order of the subnets. */
  readonly ips: readonly string[];
  /** Port of its HTTP server on the bridge. */
  readonly serverPort: number;
  /** Path of its configuration; omitted if it is not served here. */
  readonly configuration?: string | undefined;
}

/** An image cache that is served on the bridge. */
export interface ImageCache {
  /** Absolute path of a flat image cache. */
  readonly folder: string;
  readonly port: number;
  /** Absolute path of the certificate, PEM; omitted for HTTP. */
  readonly certFile?: string | undefined;
  /** Absolute path of its key, PEM. */
  readonly keyFile?: string | undefined;
}

/** Specification of a cluster of virtual machines. */
export interface QemuCluster {
  readonly accelerator: Accelerator;
  readonly network: BridgeNetwork;
  readonly nameservers: readonly string[];
  /** True if DHCP assigns host names. */
  readonly isNamedByDhcp: boolean;
  /** URL of an iPXE script; omitted without network boot. */
  readonly bootScript?: string | undefined;
  /** Port of the API servers on the bridge. */
  readonly controlPlanePort: number;
  /** Disk key in base64; omitted without a KMS. */
  readonly kmsKey?: string | undefined;
  /** True to receive logs of nodes. */
  readonly hasJsonLogs: boolean;
  /** Image cache; default none. */
  readonly imageCache?: ImageCache | undefined;
  /** Agent of the tunnel; default none. */
  readonly agent?: AgentPlan | undefined;
  /** Machines, control planes first. */
  readonly machines: readonly ClusterMachine[];
  readonly ca: string;
}

/** Outcome of the start of the background process. */
type ServeOutcome =
  | {
    /** Process id of the running cluster. */
    readonly pid: number;
    readonly ready: true;
  }
  | {
    /** Process id of the failed start. */
    readonly pid: number;
    readonly error: string;
    readonly hint?: string | undefined;
  };

/** Ports on the bridge. */
export const ports = { kms: 4050, jsonLogs: 4003 };

/** Reads the specification of a cluster. Returns `undefined` if osctl created no virtual machines here. */
export function readCluster(
  place: ClusterLocation,
): Promise<QemuCluster | undefined> {
  return readJson(`${joinFolder(place)}/qemu.json`);
}

/** Writes the specification of a cluster. */
export async function writeCluster(
  place: ClusterLocation,
  cluster: QemuCluster,
): Promise<void> {
  await writeFileAtomic(
    `${joinFolder(place)}/qemu.json`,
    JSON.stringify(cluster),
  );
}

/** Writes the attachments of machines. Returns the cluster with them. */
export async function writeAttached(
  place: ClusterLocation,
  cluster: QemuCluster,
  attachments: readonly Attachment[],
): Promise<QemuCluster> {
  const machines = cluster.machines.map((machine, at) => ({
    ...machine,
    ...attachments[at],
  }));
  const attached = { ...cluster, machines };
  await writeCluster(place, attached);
  return attached;
}

/** Reads the outcome of the last start. Returns `undefined` while it is in progress. */
export function readOutcome(
  place: ClusterLocation,
): Promise<ServeOutcome | undefined> {
  return readJson(`${joinFolder(place)}/serve.json`);
}

/** Writes the outcome of a start. */
export async function writeOutcome(
  place: ClusterLocation,
  outcome: ServeOutcome,
): Promise<void> {
  await writeFileAtomic(
    `${joinFolder(place)}/serve.json`,
    JSON.stringify(outcome),
  );
}

/**
 * Changes the owner of the cluster's folder and its parent folder.
 *
 * @param owner New owner; omitted for no change.
 */
export async function giveToUser(
  place: ClusterLocation,
  owner: QemuSpec["owner"],
): Promise<void> {
  if (owner === undefined) return;
  const { uid, gid } = owner;
  await Deno.chown(place.state, uid, gid);
  await giveAll(joinFolder(place), uid, gid);
}

async function giveAll(path: string, uid: number, gid: number): Promise<void> {
  await Deno.chown(path, uid, gid);
  for await (const item of Deno.readDir(path)) {
    const inside = `${path}/${item.name}`;
    if (item.isDirectory) await giveAll(inside, uid, gid);
    // A symlink could point outside of the folder.
    else if (!item.isSymlink) await Deno.chown(inside, uid, gid);
  }
}

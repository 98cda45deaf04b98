/** A cluster of virtual machines as it is kept in its folder. */

import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { type ClusterLocation, joinFolder, readJson } from "../state.ts";
import type { AgentPlan } from "./agent/plan.ts";
import type { Accelerator, Machine } from "./machine.ts";
import type { Attachment, BridgeNetwork } from "./bridge_network.ts";
import type { QemuSpec } from "./spec.ts";

/** A machine with its place in the cluster. */
export interface ClusterMachine extends Machine {
  /** What it does in the cluster. */
  readonly type: "init" | "controlplane" | "worker";
  /** Its addresses, in the order of the subnets. */
  readonly ips: readonly string[];
  /** Port of its HTTP server on the bridge. */
  readonly serverPort: number;
  /** Path of its configuration; omitted, it is not to get one from here. */
  readonly configuration?: string | undefined;
}

/** What a cluster is made of. */
export interface QemuCluster {
  readonly accelerator: Accelerator;
  readonly network: BridgeNetwork;
  /** Name servers of the machines. */
  readonly nameservers: readonly string[];
  /** True when DHCP gives machines their names. */
  readonly isNamedByDhcp: boolean;
  /** URL of a script for iPXE; omitted, machines do not boot from the network. */
  readonly bootScript?: string | undefined;
  /** Port of the API servers on the bridge. */
  readonly controlPlanePort: number;
  /** Key for disks in base64; omitted, there is no key management service. */
  readonly kmsKey?: string | undefined;
  /** True when logs of nodes are received. */
  readonly hasJsonLogs: boolean;
  /** Agent that nodes open a tunnel to; omitted, there is none. */
  readonly agent?: AgentPlan | undefined;
  /** Machines, control planes first. */
  readonly machines: readonly ClusterMachine[];
  readonly ca: string;
}

/** What became of the start of the background process. */
type ServeOutcome =
  | {
    /** Process that runs the cluster. */
    readonly pid: number;
    readonly ready: true;
  }
  | {
    /** Process that could not run the cluster. */
    readonly pid: number;
    readonly error: string;
    readonly hint?: string | undefined;
  };

/** Ports on the bridge. */
export const ports = { kms: 4050, jsonLogs: 4003 };

/** Reads what a cluster is made of. Returns `undefined` when osctl made none of virtual machines here. */
export function readCluster(
  place: ClusterLocation,
): Promise<QemuCluster | undefined> {
  return readJson(`${joinFolder(place)}/qemu.json`);
}

/** Writes what a cluster is made of. */
export async function writeCluster(
  place: ClusterLocation,
  cluster: QemuCluster,
): Promise<void> {
  await writeFileAtomic(
    `${joinFolder(place)}/qemu.json`,
    JSON.stringify(cluster),
  );
}

/** Writes how plugins have attached the machines. Returns the cluster with it. */
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

/** Reads what became of the last start. Returns `undefined` while it is under way. */
export function readOutcome(
  place: ClusterLocation,
): Promise<ServeOutcome | undefined> {
  return readJson(`${joinFolder(place)}/serve.json`);
}

/** Writes what became of a start. */
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
 * Gives the folder of a cluster, and the folder it is in, to a user.
 *
 * @param owner The user; omitted, nothing happens.
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
    // A link could lead out of the folder.
    else if (!item.isSymlink) await Deno.chown(inside, uid, gid);
  }
}

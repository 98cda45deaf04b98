/** The folder of a cluster of containers: what it was begun with. */

import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { ConfigError } from "../../errors.ts";
import {
  type ClusterLocation,
  joinFolder,
  type LocalCluster,
  makeFolder,
  readJson,
  readState,
} from "../state.ts";
import { addressAt } from "../../lib/ip.ts";
import type { ContainerSpec, HostPorts } from "./spec.ts";

/** What a cluster was begun with, and is continued with. */
export interface ContainerRequest {
  readonly spec: ContainerSpec;
  /** What else was asked for, as it was written; only compared. */
  readonly wishes: readonly string[];
  readonly ports: HostPorts;
}

/** Configurations of nodes, YAML. */
export interface NodeConfigurations {
  readonly controlplane: string;
  readonly worker: string;
}

/** Reads what a cluster was begun with; `undefined` when it was not. */
export async function readRequest(
  place: ClusterLocation,
): Promise<ContainerRequest | undefined> {
  return await readJson(`${joinFolder(place)}/docker.json`);
}

/** Writes what a cluster is begun with. */
export async function writeRequest(
  place: ClusterLocation,
  request: ContainerRequest,
): Promise<void> {
  const text = JSON.stringify(request);
  await writeFileAtomic(`${joinFolder(place)}/docker.json`, text);
}

/**
 * Makes the folder of a cluster, or finds one that was begun.
 *
 * @throws {ConfigError} If there is a cluster of this name already, or it was begun with something else.
 */
export async function beginFolder(
  place: ClusterLocation,
  wanted: Omit<ContainerRequest, "ports">,
): Promise<void> {
  if (await isBegun(place)) return await refuseOther(place, wanted);
  await makeFolder(place);
}

/** Whether a cluster was begun and not finished; a folder without state was left by the first moment of it. */
export async function isBegun(place: ClusterLocation): Promise<boolean> {
  const state = await readState(place);
  if (state !== undefined) {
    return state.provisionername === "docker" && state.phase !== undefined;
  }
  try {
    const names: string[] = [];
    for await (const { name } of Deno.readDir(joinFolder(place))) {
      names.push(name);
    }
    return names.every((name) => ofFirstMoment.test(name));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** What is in the folder before the state is, and what a kill leaves of files that are being written. */
const ofFirstMoment = /^(process|docker\.json|\..*)$/;

async function refuseOther(
  place: ClusterLocation,
  { spec, wishes }: Omit<ContainerRequest, "ports">,
): Promise<void> {
  const before = await readRequest(place);
  if (before === undefined) return;
  const same = JSON.stringify([before.spec, before.wishes]) ===
    JSON.stringify([spec, wishes]);
  if (same) return;
  throw new ConfigError(
    `Cannot continue cluster "${place.name}": it was created with other options`,
    {
      hint:
        `Use the same options, or remove it with: osctl cluster destroy --name ${place.name}`,
    },
  );
}

/** Reads configurations that were made before; `undefined` unless all are there. */
export async function readConfigurations(
  place: ClusterLocation,
): Promise<NodeConfigurations | undefined> {
  return await readJson(`${joinFolder(place)}/configurations.json`);
}

/** Writes configurations, for the owner alone: there are keys in them. */
export async function writeConfigurations(
  place: ClusterLocation,
  configurations: NodeConfigurations,
): Promise<void> {
  await writeFileAtomic(
    `${joinFolder(place)}/configurations.json`,
    JSON.stringify(configurations),
  );
}

/** State of a cluster that is being made. `ids`: containers by name, as far as there are any. */
export function containerState(
  { name }: ClusterLocation,
  { spec, ports }: Pick<ContainerRequest, "spec" | "ports">,
  ids: ReadonlyMap<string, string> = new Map(),
): LocalCluster {
  return {
    provisionername: "docker",
    clusterinfo: {
      clustername: name,
      network: {
        name,
        cidrs: [spec.subnet],
        gatewayaddrs: [addressAt(spec.subnet, 1)],
        mtu: spec.mtu,
      },
      nodes: spec.nodes.map((node, index) => ({
        id: ids.get(node.name) ?? "",
        uuid: "00000000-0000-0000-0000-000000000000",
        name: node.name,
        type: node.type,
        nanocpus: node.nanocpus,
        memory: node.memory,
        disksize: 0,
        ips: [node.ip],
        apiport: ports.api[index] ?? 0,
      })),
      kubernetesendpoint: `https://${ports.host}:${ports.kubernetes}`,
    },
  };
}

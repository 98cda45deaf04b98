/** Folder of a cluster of containers, with the request it was created from. */

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

/** Request a cluster is created from, also when resumed. */
export interface ContainerRequest {
  readonly spec: ContainerSpec;
  /** Other flags as given by the user; only compared. */
  readonly wishes: readonly string[];
  readonly ports: HostPorts;
}

/** Machine configurations, YAML. */
export interface NodeConfigurations {
  readonly controlplane: string;
  readonly worker: string;
}

/** Reads the request of a cluster; `undefined` if there is none. */
export async function readRequest(
  place: ClusterLocation,
): Promise<ContainerRequest | undefined> {
  return await readJson(`${joinFolder(place)}/docker.json`);
}

export async function writeRequest(
  place: ClusterLocation,
  request: ContainerRequest,
): Promise<void> {
  const text = JSON.stringify(request);
  await writeFileAtomic(`${joinFolder(place)}/docker.json`, text);
}

/**
 * Creates the folder of a cluster, or opens that of an unfinished one.
 *
 * @throws {ConfigError} If the cluster already exists, or its creation was started with other flags.
 */
export async function beginFolder(
  place: ClusterLocation,
  wanted: Omit<ContainerRequest, "ports">,
): Promise<void> {
  if (await isBegun(place)) return await refuseOther(place, wanted);
  await makeFolder(place);
}

/** True if the creation of a cluster is unfinished; a folder without a state file is from its first step. */
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

/** Files written before the state file, and temporary files of a killed process. */
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

/** Reads existing configurations; `undefined` unless all exist. */
export async function readConfigurations(
  place: ClusterLocation,
): Promise<NodeConfigurations | undefined> {
  return await readJson(`${joinFolder(place)}/configurations.json`);
}

/** Writes configurations, readable only by the owner since they contain keys. */
export async function writeConfigurations(
  place: ClusterLocation,
  configurations: NodeConfigurations,
): Promise<void> {
  await writeFileAtomic(
    `${joinFolder(place)}/configurations.json`,
    JSON.stringify(configurations),
  );
}

/** State of a cluster during creation. `ids`: existing containers by name. */
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

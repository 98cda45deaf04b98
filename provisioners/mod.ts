/** Provisioners of local clusters, and functions shared by them. */

import { ConfigError } from "../errors.ts";
import type { ReadVariable } from "./docker/endpoint.ts";
import { embedded } from "./embedded/provisioner.ts";
import { serveEmbedded } from "./embedded/serve.ts";
import type { ServeOptions } from "./qemu/serve.ts";
import type { QemuSpec } from "./qemu/spec.ts";
import {
  type ClusterAccess,
  type CreateOptions,
  type Provisioner,
  type ProvisionerName,
  provisionerNames,
} from "./provisioner.ts";
import { type ClusterLocation, readState } from "./state.ts";

export {
  embeddedConfigurations,
  type EmbeddedSpec,
  paceNames,
} from "./embedded/folder.ts";
export { lockCluster, refuseLocked } from "./cluster_lock.ts";
export type { ReadVariable } from "./docker/endpoint.ts";
export { embedded } from "./embedded/provisioner.ts";
export { chooseEtcd, etcdKinds } from "./embedded/etcd_choice.ts";
export {
  changeFaults,
  faultNames,
  knownFaults,
  type WantedFault,
  wantedFaults,
} from "./embedded/faults.ts";
export { planAgent, type WantedAgent } from "./qemu/agent/plan.ts";
export { accelerators } from "./qemu/accelerator.ts";
export { assetPath, fetchAsset } from "./qemu/assets.ts";
export { begunMachines } from "./qemu/unfinished_cluster.ts";
export {
  configurationsFor,
  type ConfigurationSources,
} from "./qemu/configurations.ts";
export {
  type DocumentSettings,
  keyTypes,
  settingDocuments,
  systemDevices,
  type UserVolume,
} from "./qemu/documents.ts";
export { kernelArguments } from "./qemu/kernel_arguments.ts";
export {
  architectures,
  type BootMedium,
  type DiskDriver,
  diskDrivers,
} from "./qemu/machine.ts";
export type { Chaos } from "./qemu/bridge_network.ts";
export type { ImageCache } from "./qemu/cluster.ts";
export { planCluster } from "./qemu/plan.ts";
export type {
  QemuSettings,
  QemuSpec,
  WantedCni,
  WantedDisk,
} from "./qemu/spec.ts";
export {
  type ClusterAccess,
  type ClusterStatus,
  type CreateOptions,
  type PowerAction,
  powerActions,
  type Progress,
  type Provisioner,
  type ProvisionerName,
  provisionerNames,
} from "./provisioner.ts";
export {
  defaultVersions,
  playedRelease,
} from "../simulator/release/release.ts";
export {
  type ClusterLocation,
  clusterNames,
  clusterNotFound,
  joinFolder,
  type LocalCluster,
  type LocalNode,
  readState,
  removeFolder,
} from "./state.ts";

/** Docker and QEMU are loaded on demand. */
const provisioners: Readonly<
  Record<ProvisionerName, (env: ReadVariable) => Promise<Provisioner>>
> = {
  embedded: () => Promise.resolve(embedded),
  qemu: async () => (await import("./qemu/provisioner.ts")).qemu,
  docker: async (env) => (await import("./docker/provisioner.ts")).docker(env),
};

/** Selection of a provisioner. */
export interface ProvisionerRequest {
  /** Reads an environment variable, for the container engine. */
  readonly env: ReadVariable;
  /** Name given by the user; `auto` for the one in the cluster's state, or the default without a state. */
  readonly wanted?: ProvisionerName | "auto";
}

/**
 * Finds the provisioner of a cluster. Throws `ConfigError` if the cluster was created by another provisioner,
 * or the one in its state is unknown.
 */
export async function chooseProvisioner(
  place: ClusterLocation,
  { env, wanted = "auto" }: ProvisionerRequest,
): Promise<Provisioner> {
  const made = (await readState(place))?.provisionername;
  if (made !== undefined && wanted !== "auto" && made !== wanted) {
    throw new ConfigError(
      `Cannot use provisioner "${wanted}": cluster "${place.name}" was created with provisioner "${made}"`,
      { hint: "Omit --provisioner" },
    );
  }
  return await findProvisioner(made ?? wanted, env);
}

/** Creates a cluster of virtual machines; see `Provisioner.create`. */
export async function createVirtualMachines(
  place: ClusterLocation,
  spec: QemuSpec,
  options: CreateOptions,
): Promise<ClusterAccess> {
  const { qemu } = await import("./qemu/provisioner.ts");
  return await qemu.create(place, spec, options);
}

/** Finds a provisioner by name; `auto` for the default. Throws ConfigError if it is unknown. */
export async function findProvisioner(
  name: string,
  env: ReadVariable,
): Promise<Provisioner> {
  const wanted = name === "auto" ? "embedded" : name;
  const known = provisionerNames.find((one) => one === wanted);
  if (known === undefined) throw unknown(name);
  return await provisioners[known](env);
}

/**
 * Runs the nodes of a cluster in this process until it is stopped, or its folder is removed. Yields the endpoints of
 * the control planes once. Throws `ConfigError` if there is no such cluster.
 */
export async function* serveCluster(
  place: ClusterLocation,
  options: ServeOptions,
): AsyncGenerator<readonly string[]> {
  const made = (await readState(place))?.provisionername;
  if (made === "qemu") {
    const { serveQemu } = await import("./qemu/serve.ts");
    return yield* serveQemu(place, options);
  }
  for await (const { endpoints } of serveEmbedded(place, options)) {
    yield endpoints;
  }
}

function unknown(name: string): ConfigError {
  return new ConfigError(`Unknown provisioner "${name}"`, {
    hint: `Known provisioners: ${provisionerNames.join(", ")}`,
  });
}

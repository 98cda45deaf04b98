/** Makes a cluster of virtual machines: its folder, network, disks and firmware, then its process. */

import { systemName } from "../../dialect.ts";
import { TimeoutError } from "../../errors.ts";
import { writeFileAtomic } from "../../config/files/atomic_file.ts";
import { cannotStart, processOf, startServing } from "../background.ts";
import type {
  ClusterAccess,
  CreateOptions,
  Progress,
  StartOptions,
} from "../provisioner.ts";
import {
  type ClusterLocation,
  clusterNotFound,
  folderOf,
  type LocalCluster,
  makeFolder,
  writeOff,
  writeState,
} from "../state.ts";
import { chooseAccelerator } from "./accelerator.ts";
import { filesOf } from "./arguments.ts";
import {
  type ClusterMachine,
  giveToUser,
  type QemuCluster,
  readCluster,
  readOutcome,
  writeCluster,
} from "./cluster.ts";
import { createDisk } from "./disks.ts";
import { removeCluster } from "./destroy.ts";
import { copyFirmware, findFirmware, type Firmware } from "./firmware.ts";
import { createNetwork, hasInterface } from "./network.ts";
import { preflight } from "./preflight.ts";
import { run } from "./run.ts";
import { configurationUrl, endpointsOf } from "./serve.ts";
import type { QemuSpec } from "./spec.ts";

/** Creates a cluster; see {@linkcode Provisioner.create}. What fails leaves nothing behind. */
export async function createQemu(
  place: ClusterLocation,
  spec: QemuSpec,
  options: CreateOptions,
): Promise<ClusterAccess> {
  await preflight(spec);
  const { accelerator, note } = await chooseAccelerator(spec.accelerator, spec);
  if (note !== undefined) options.progress.node("note", note);
  const firmware = spec.hasUefi || spec.architecture === "arm64"
    ? await findFirmware(spec.architecture, spec.firmwareFolders)
    : undefined;
  await makeFolder(place);
  try {
    const cluster = clusterOf(place, spec, { accelerator, firmware });
    // Both are there before anything else is made, so that whatever is made is found again.
    await writeState(place, stateOf(place, spec, options));
    await writeCluster(place, cluster);
    await makeLogs(place, cluster);
    await makeParts(place, spec, {
      cluster,
      firmware,
      progress: options.progress,
    });
    await options.progress.phase(
      "starting nodes",
      () => startQemu(place, options),
    );
    for (const { name, ips } of cluster.machines) {
      options.progress.node(name, `started, ${ips.join(", ")}`);
    }
    return spec.access;
  } catch (error) {
    await removeCluster(place);
    throw error;
  }
}

/**
 * Starts the process of a cluster that was created before, unless it runs. Returns endpoints of the control planes.
 * Throws `ConfigError` if there is no such cluster, `OsctlError` if it cannot run, and `TimeoutError` if it is not
 * ready in time.
 */
export async function startQemu(
  place: ClusterLocation,
  { waitMs, signal }: StartOptions,
): Promise<readonly string[]> {
  const folder = folderOf(place);
  const cluster = await readCluster(place);
  if (cluster === undefined) throw clusterNotFound(place);
  const running = await processOf(folder);
  // The network does not outlive a restart of the host.
  if (running === undefined && !await hasInterface(cluster.network.bridge)) {
    await createNetwork(cluster.network);
  }
  const started = running === undefined ? startServing(place) : undefined;
  const pid = started?.pid ?? running;
  const deadline = performance.now() + waitMs;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const hasEnded = started?.ended() ?? false;
    const outcome = await readOutcome(place);
    if (outcome !== undefined && outcome.pid === pid) {
      if ("ready" in outcome) return endpointsOf(cluster);
      throw cannotStart(place, outcome.error, outcome.hint);
    }
    if (hasEnded) throw cannotStart(place, "its process exited early");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new TimeoutError(
    `Nodes of cluster "${place.name}" did not start within ${waitMs / 1000} s`,
    { hint: "Increase --wait-timeout" },
  );
}

interface Parts {
  readonly cluster: QemuCluster;
  readonly firmware: Firmware | undefined;
  readonly progress: Progress;
}

async function makeParts(
  place: ClusterLocation,
  spec: QemuSpec,
  { cluster, firmware, progress }: Parts,
): Promise<void> {
  const { network, machines } = cluster;
  await progress.phase(
    `creating network ${network.bridge}`,
    () => createNetwork(network),
  );
  await progress.phase("creating disks", async () => {
    for (const machine of machines) await makeFiles(machine, spec, firmware);
  });
  await giveToUser(place, spec.owner);
}

/** What root writes later keeps its owner, so that the user can read it. */
async function makeLogs(
  place: ClusterLocation,
  { machines }: QemuCluster,
): Promise<void> {
  const folder = folderOf(place);
  await writeOff(folderOf(place), []);
  const paths = [
    ...["process", "serve.log", "json-logs.log"].map((name) =>
      `${folder}/${name}`
    ),
    ...machines.map((machine) => filesOf(machine).log),
  ];
  for (const path of paths) await writeFileAtomic(path, "");
  await writeFileAtomic(`${folder}/serve.json`, "{}");
}

async function makeFiles(
  machine: ClusterMachine,
  spec: QemuSpec,
  firmware: Firmware | undefined,
): Promise<void> {
  const wanted = disksOf(spec, machine.type);
  for (const [index, { path }] of machine.disks.entries()) {
    const size = wanted[index]?.size ?? 0;
    const image = index === 0 ? spec.diskImage : undefined;
    await createDisk(
      { path, size, isPreallocated: spec.isPreallocated },
      image,
    );
  }
  if (firmware !== undefined) {
    await copyFirmware(
      firmware,
      `${machine.folder}/${machine.name}`,
      spec.architecture,
    );
  }
  const configuration = spec.configurations.get(machine.name);
  if (configuration === undefined) return;
  if (machine.configuration !== undefined) {
    await writeFileAtomic(machine.configuration, configuration);
  }
  if (machine.configurationIso !== undefined) {
    await makeIso(machine.configurationIso, configuration);
  }
}

/** A CD from which nodes take their configuration, by its label. */
async function makeIso(path: string, configuration: string): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "osctl-iso-" });
  try {
    await writeFileAtomic(`${folder}/config.yaml`, configuration);
    await run([
      "genisoimage",
      "-quiet",
      "-joliet",
      "-rock",
      "-volid",
      "metal-iso",
      "-output",
      path,
      folder,
    ]);
    await Deno.chmod(path, 0o600);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function clusterOf(
  place: ClusterLocation,
  spec: QemuSpec,
  { accelerator, firmware }: {
    readonly accelerator: QemuCluster["accelerator"];
    readonly firmware: Firmware | undefined;
  },
): QemuCluster {
  const { plan, network } = spec;
  const free = freePorts(plan.machines.length);
  const gateways = plan.subnets.map(({ gateway }) => gateway);
  return {
    accelerator,
    network: {
      bridge: plan.bridge,
      mac: plan.mac,
      mtu: network.mtu,
      subnets: plan.subnets,
      noMasquerade: network.noMasquerade,
      taps: plan.machines.map(({ tap }) => tap),
      chaos: network.chaos,
      isAirgapped: network.isAirgapped,
    },
    nameservers: network.nameservers.length > 0
      ? network.nameservers
      : gateways,
    isNamedByDhcp: network.isNamedByDhcp,
    bootScript: spec.bootScript,
    controlPlanePort: spec.controlPlanePort,
    ...spec.hasKms
      ? { kmsKey: crypto.getRandomValues(new Uint8Array(32)).toBase64() }
      : {},
    hasJsonLogs: spec.hasJsonLogs,
    ca: spec.access.ca,
    machines: plan.machines.map((machine, at) =>
      machineOf(spec, machine, {
        folder: folderOf(place),
        serverPort: free[at] ?? 0,
        firmware,
      })
    ),
  };
}

function machineOf(
  spec: QemuSpec,
  planned: QemuSpec["plan"]["machines"][number],
  { folder, serverPort, firmware }: {
    readonly folder: string;
    readonly serverPort: number;
    readonly firmware: Firmware | undefined;
  },
): ClusterMachine {
  const { plan, injection, architecture } = spec;
  const { name, type } = planned;
  const resources = type === "worker" ? spec.worker : spec.controlplane;
  const prefix = `${folder}/${name}`;
  const source = injection === "http"
    ? `${systemName}.config=${
      configurationUrl(plan.subnets[0]?.gateway ?? "", serverPort)
    }`
    : injection === "metal-iso"
    ? `${systemName}.config=metal-iso`
    : "";
  return {
    ...planned,
    folder,
    serverPort,
    architecture,
    processors: processorsFor(resources.nanocpus),
    memory: Math.floor(resources.memory / (1024 * 1024)),
    mtu: spec.network.mtu,
    disks: disksOf(spec, type).map(({ driver }, index) => ({
      path: `${prefix}-${index}.disk`,
      driver,
      blockSize: spec.blockSize,
    })),
    boot: spec.boot,
    kernelArguments: [spec.kernelArguments, source].filter((text) =>
      text !== ""
    ).join(" "),
    ...spec.hasStubArguments
      ? { stubArguments: stubArguments(spec, source) }
      : {},
    firmware: firmware === undefined ? [] : [
      `${prefix}-flash0.img`,
      ...firmware.variables === undefined ? [] : [`${prefix}-flash1.img`],
    ],
    isSecureBoot: firmware?.isSecureBoot ?? false,
    tpm: spec.tpm,
    hasIommu: spec.hasIommu,
    isClockWrong: spec.isClockWrong,
    hasBootloader: spec.hasBootloader,
    hasDebugShell: spec.hasDebugShell,
    configuration: injection === "http" ? `${prefix}.yaml` : undefined,
    configurationIso: injection === "metal-iso"
      ? `${prefix}-metal-config.iso`
      : undefined,
  };
}

/** Media without a command line of their own get it through the boot loader. */
function stubArguments({ boot }: QemuSpec, source: string): string {
  const isDirect = boot.kind === "kernel" || boot.kind === "uki";
  return ["console=ttyS0", ...isDirect && source !== "" ? [source] : []].join(
    " ",
  );
}

function disksOf(
  { disks, workerDisks }: QemuSpec,
  type: ClusterMachine["type"],
): readonly QemuSpec["disks"][number][] {
  return type === "worker" ? [...disks, ...workerDisks] : disks;
}

/** Whole processors; below two there is one. */
export function processorsFor(nanocpus: number): number {
  const exact = nanocpus / 1e9;
  const whole = Math.round(exact);
  // Halves become even.
  const rounded = exact % 1 === 0.5 && whole % 2 === 1 ? whole - 1 : whole;
  return Math.max(1, rounded);
}

function freePorts(count: number): number[] {
  const listeners = Array.from(
    { length: count },
    () => Deno.listen({ port: 0 }),
  );
  const found = listeners.map(({ addr }) => addr.port);
  for (const listener of listeners) listener.close();
  return found;
}

function stateOf(
  place: ClusterLocation,
  spec: QemuSpec,
  { osconfig }: CreateOptions,
): LocalCluster {
  const { plan } = spec;
  return {
    provisionername: "qemu",
    bridgename: plan.bridge,
    clusterinfo: {
      clustername: place.name,
      network: {
        name: place.name,
        cidrs: plan.subnets.map(({ cidr }) => cidr),
        gatewayaddrs: plan.subnets.map(({ gateway }) => gateway),
        mtu: spec.network.mtu,
      },
      nodes: plan.machines.map(({ name, type, uuid, ips }) => {
        const resources = type === "worker" ? spec.worker : spec.controlplane;
        return {
          id: filesOf({ folder: folderOf(place), name }).pid,
          uuid,
          name,
          type,
          nanocpus: resources.nanocpus,
          memory: resources.memory,
          disksize: spec.disks[0]?.size ?? 0,
          ips,
          apiport: 0,
        };
      }),
      kubernetesendpoint: spec.kubernetesEndpoint,
    },
    osconfig,
  };
}

/** Creates clusters of virtual machines: folder, network, disks and firmware, then the background process. */

import { temporaryFolder } from "../../lib/files/temporary.ts";
import { LockedError, TimeoutError } from "../../errors.ts";
import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { exists } from "../../lib/files/exists.ts";
import {
  cannotStart,
  findProcess,
  lockFolder,
  startServing,
} from "../background.ts";
import { lockCluster } from "../cluster_lock.ts";
import type {
  ClusterAccess,
  CreateOptions,
  StartOptions,
} from "../provisioner.ts";
import {
  type ClusterLocation,
  clusterNotFound,
  joinFolder,
  makeFolder,
  readState,
  writeOff,
  writePhase,
  writeState,
} from "../state.ts";
import { chooseAccelerator } from "./accelerator.ts";
import { locateFiles } from "./arguments.ts";
import { finishVirtualMachines, writeBegun } from "./unfinished_cluster.ts";
import {
  type ClusterMachine,
  giveToUser,
  type QemuCluster,
  readCluster,
  readOutcome,
  writeAttached,
  writeCluster,
} from "./cluster.ts";
import { installPlugins } from "./cni_bundle.ts";
import { createDisk } from "./disks.ts";
import { removeCluster } from "./destroy.ts";
import { copyFirmware, findFirmware, type Firmware } from "./firmware.ts";
import { createNetwork, hasInterface, removeNetwork } from "./network.ts";
import { listDisks, makeCluster, makeState } from "./new_cluster.ts";
import { hasFirmware, preflight } from "./preflight.ts";
import { run } from "./run.ts";
import { listEndpoints } from "./serve.ts";
import { logFiles } from "./servers/helpers.ts";
import type { QemuSpec } from "./spec.ts";

/**
 * Creates a cluster; see {@linkcode Provisioner.create}. An unfinished creation is resumed. A failure before
 * the machines have started removes everything; an interruption keeps everything.
 */
export async function createQemu(
  place: ClusterLocation,
  spec: QemuSpec,
  options: CreateOptions,
): Promise<ClusterAccess> {
  const { progress } = options;
  const { cni } = spec.network;
  await preflight(spec);
  await spec.download?.();
  if (cni !== undefined) await installPlugins(cni, options);
  const phase = (await readState(place))?.phase;
  const isMade = phase === phases.nodes || phase === phases.waiting;
  const host = isMade ? undefined : await hostParts(spec, options);
  if (!await exists(joinFolder(place))) await makeFolder(place);
  using _ = await lockCluster(place, "create");
  if (host !== undefined) await makeUnserved(place, spec, { host, options });
  try {
    await progress.phase("starting nodes", () => startQemu(place, options));
    await writePhase(place, phases.waiting);
  } catch (error) {
    await removeFailed(place, options.signal);
    throw error;
  }
  for (const { name, ips } of spec.plan.machines) {
    progress.node(name, `started, ${ips.join(", ")}`);
  }
  await options.bringUp(spec.access);
  await finishVirtualMachines(place);
  return spec.access;
}

/** Cleans up a failed creation, unless it was interrupted and can be resumed. */
async function removeFailed(
  place: ClusterLocation,
  { aborted }: AbortSignal,
): Promise<void> {
  const phase = (await readState(place).catch(() => undefined))?.phase;
  if (!aborted || phase === undefined) await removeCluster(place);
}

const phases = {
  network: "creating the network",
  disks: "creating disks",
  nodes: "starting nodes",
  waiting: "waiting for the nodes",
};

/**
 * Starts the process of an existing cluster, unless it runs. Returns the control plane endpoints. Throws `ConfigError`
 * if there is no such cluster, `OsctlError` if it cannot run, and `TimeoutError` if it is not ready in time.
 */
export async function startQemu(
  place: ClusterLocation,
  { waitMs, signal }: StartOptions,
): Promise<readonly string[]> {
  const folder = joinFolder(place);
  const cluster = await readCluster(place);
  if (cluster === undefined) throw clusterNotFound(place);
  const running = await findProcess(folder);
  // The network is lost when the host reboots.
  if (running === undefined && !await hasInterface(cluster.network.bridge)) {
    const attachments = await createNetwork(cluster.network, signal);
    await writeAttached(place, cluster, attachments);
  }
  const started = running === undefined ? startServing(place) : undefined;
  const pid = started?.pid ?? running;
  const deadline = performance.now() + waitMs;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const hasEnded = started?.ended() ?? false;
    const outcome = await readOutcome(place);
    if (outcome !== undefined && outcome.pid === pid) {
      if ("ready" in outcome) return listEndpoints(cluster);
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

interface HostParts {
  readonly accelerator: QemuCluster["accelerator"];
  readonly firmware: Firmware | undefined;
}

/** Finds host requirements of machines. Throws OsctlError if something is missing. */
async function hostParts(
  spec: QemuSpec,
  { progress }: CreateOptions,
): Promise<HostParts> {
  const { accelerator, note } = await chooseAccelerator(
    spec.accelerator,
    spec.hardware,
  );
  if (note !== undefined) progress.node("note", note);
  const firmware = hasFirmware(spec)
    ? await findFirmware(spec.hardware.architecture, spec.firmwareFolders)
    : undefined;
  return { accelerator, firmware };
}

/** Creates everything except the process. Throws LockedError if it already runs. */
async function makeUnserved(
  place: ClusterLocation,
  spec: QemuSpec,
  { host, options }: {
    readonly host: HostParts;
    readonly options: CreateOptions;
  },
): Promise<void> {
  const lock = await lockFolder(joinFolder(place));
  if (lock === undefined) {
    throw new LockedError(
      `Cannot create cluster "${place.name}": another process is starting it`,
    );
  }
  try {
    using _ = lock;
    const { firmware } = host;
    const cluster = await readCluster(place) ?? makeCluster(place, spec, host);
    await makeParts(place, spec, { cluster, firmware, options });
  } catch (error) {
    await removeFailed(place, options.signal);
    throw error;
  }
}

interface Parts {
  readonly cluster: QemuCluster;
  readonly firmware: Firmware | undefined;
  readonly options: CreateOptions;
}

async function makeParts(
  place: ClusterLocation,
  spec: QemuSpec,
  { cluster, firmware, options }: Parts,
): Promise<void> {
  const { progress, signal } = options;
  const { network, machines } = cluster;
  // Written before anything else is created, so that all resources can be found again.
  await writeBegun(place, spec);
  await writeCluster(place, cluster);
  const before = await readState(place);
  const state = makeState(place, spec, options);
  if (before?.phase !== phases.disks) {
    await writeState(place, { ...state, phase: phases.network });
    await makeLogs(place, cluster);
    await progress.phase(`creating network ${network.bridge}`, async () => {
      if (before !== undefined) await removeNetwork(network);
      const attachments = await createNetwork(network, signal);
      await writeAttached(place, cluster, attachments);
    });
    await writeState(place, { ...state, phase: phases.disks });
  }
  await progress.phase("creating disks", async () => {
    for (const machine of machines) {
      await makeFiles(machine, spec, { firmware, signal });
    }
  });
  await giveToUser(place, spec.owner);
  await writeState(place, { ...state, phase: phases.nodes });
}

/** Creates log files in advance: they keep their owner when root writes to them, so the user can read them. */
async function makeLogs(
  place: ClusterLocation,
  { machines, agent }: QemuCluster,
): Promise<void> {
  const folder = joinFolder(place);
  const { services, events, kernel } = logFiles;
  const received = agent === undefined
    ? [services]
    : [services, events, kernel];
  await writeOff(joinFolder(place), []);
  const paths = [
    ...["serve.log", ...received].map((name) => `${folder}/${name}`),
    ...machines.map((machine) => locateFiles(machine).log),
  ];
  for (const path of paths) await writeFileAtomic(path, "");
  await writeFileAtomic(`${folder}/serve.json`, "{}");
}

async function makeFiles(
  machine: ClusterMachine,
  spec: QemuSpec,
  { firmware, signal }: {
    readonly firmware: Firmware | undefined;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const wanted = listDisks(spec, machine.type);
  for (const [index, { path }] of machine.disks.entries()) {
    const size = wanted[index]?.size ?? 0;
    const image = index === 0 ? spec.diskImage : undefined;
    await createDisk(
      { path, size, isPreallocated: spec.isPreallocated },
      { image, signal },
    );
  }
  if (firmware !== undefined) {
    await copyFirmware(
      firmware,
      `${machine.folder}/${machine.name}`,
      spec.hardware.architecture,
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

/** Creates an ISO with a configuration, which nodes find by its label. */
async function makeIso(path: string, configuration: string): Promise<void> {
  await using folder = await temporaryFolder("osctl-iso-");
  await writeFileAtomic(`${folder.path}/config.yaml`, configuration);
  await run([
    "genisoimage",
    "-quiet",
    "-joliet",
    "-rock",
    "-volid",
    "metal-iso",
    "-output",
    path,
    folder.path,
  ]);
  await Deno.chmod(path, 0o600);
}

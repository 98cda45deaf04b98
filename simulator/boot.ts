/** How a simulated node starts. */

import { MachineStatusEvent_MachineStage as Stage } from "../transport/gen/machine_events.ts";
import { announce, clusterContents } from "./contents/cluster.ts";
import { type Content, putAll } from "./contents/content.ts";
import { hardwareContents } from "./contents/hardware.ts";
import { kubernetesContents } from "./contents/kubernetes.ts";
import { networkContents } from "./contents/network.ts";
import { storageContents } from "./contents/storage.ts";
import { bareContents, configuredContents } from "./contents/system.ts";
import { createEvents } from "./events.ts";
import { strikes } from "./faults.ts";
import { logBoot } from "./kernel_log.ts";
import { keptMessages, type SimulatedNode } from "./node.ts";
import { authorityFor } from "./node_configuration.ts";
import { createResources } from "./resources.ts";
import { runSequence } from "./run_sequence.ts";
import { boot, initialize } from "./sequences.ts";
import { createSeries } from "./series.ts";
import { setStage } from "./stage.ts";
import { controlPlaneServices, startService } from "./system_services.ts";

/**
 * Switches a node on.
 *
 * @returns When the node is ready; at once when it is switched off meanwhile.
 */
export async function bootNode(node: SimulatedNode): Promise<void> {
  begin(node);
  const { signal } = node.running;
  const durationMs = node.pace.bootMs / 2;
  setStage(node, Stage.BOOTING, ["network", "time", "services"]);
  await runSequence(node, initialize, { durationMs, signal, onTask });
  if (signal.aborted) return;
  if (!node.configured) return await openMaintenance(node);
  await runSequence(node, boot, { durationMs, signal, onTask });
  if (!signal.aborted) setStage(node, Stage.RUNNING, []);
}

/** What a node without configuration ends with: it waits for one. */
async function openMaintenance(node: SimulatedNode): Promise<void> {
  putAll(node, networkContents(node));
  setStage(node, Stage.MAINTENANCE, []);
  await openNetwork(node);
}

function begin(node: SimulatedNode): void {
  node.bootId = crypto.randomUUID();
  node.bootTime = node.clock.now();
  node.stopping = new AbortController();
  node.running = new AbortController();
  node.events = createEvents(node.clock, node.identity.uuid);
  node.kernelLog = createSeries(keptMessages);
  node.resources = createResources(node.clock);
  node.services.clear();
  node.logs.clear();
  node.containerLogs.clear();
  logBoot(node);
}

/** What the node learns as it boots, by the task that brings it. */
const contentsAfter: Readonly<
  Record<string, (node: SimulatedNode) => readonly Content[]>
> = {
  reloadMeta: bareContents,
  waitForUSB: hardwareContents,
  setUserEnvVars: networkContents,
  mountEphemeralPartition: () => storageContents,
  waitForCARoots: clusterContents,
  startAllServices: kubernetesContents,
};

async function onTask(node: SimulatedNode, task: string): Promise<void> {
  const service = task.match(
    /^start(Udevd|Machined|Auditd|Syslogd|Containerd|Dashboard)$/,
  );
  if (service?.[1]) startService(node, service[1].toLowerCase());
  const contents = contentsAfter[task];
  if (contents) putAll(node, contents(node));
  if (task === "loadConfig") await loadConfig(node);
  if (task === "waitForCARoots") await openApi(node);
  if (task === "startAllServices") startAllServices(node);
}

async function loadConfig(node: SimulatedNode): Promise<void> {
  if (strikes(node, "returns-unconfigured", "Boot")) {
    node.configured = false;
    await node.save();
  }
  const early = strikes(node, "maintenance-before-boot", "Boot");
  if (early && node.configured) await offerMaintenance(node, early.ms ?? 200);
  if (node.configured) putAll(node, configuredContents(node));
}

/** Offers maintenance for a while, although there is a configuration. */
async function offerMaintenance(
  node: SimulatedNode,
  ms: number,
): Promise<void> {
  node.configured = false;
  await openNetwork(node);
  await node.clock.sleep(ms, node.running.signal);
  node.reachable = false;
  node.network.down();
  node.configured = true;
}

async function openApi(node: SimulatedNode): Promise<void> {
  startService(node, "apid");
  if (node.authority === undefined) node.work(openApiLater(node));
  else await openNetwork(node);
}

/** A worker gets its certificate from a control plane, which may not be there yet. */
async function openApiLater(node: SimulatedNode): Promise<void> {
  const { signal } = node.running;
  while (node.authority === undefined && !signal.aborted) {
    await node.clock.sleep(100, signal);
    node.authority = await authorityFor(node);
  }
  if (!signal.aborted) await openNetwork(node);
}

async function openNetwork(node: SimulatedNode): Promise<void> {
  const { signal } = node.running;
  if (!node.faults.has("unavailable")) await node.network.up();
  // The power may have gone meanwhile.
  if (signal.aborted) return node.network.down();
  node.reachable = !node.faults.has("unavailable");
}

function startAllServices(node: SimulatedNode): void {
  startService(node, "cri");
  if (node.identity.machineType === "controlplane") {
    for (const id of controlPlaneServices) startService(node, id);
  }
  startService(node, "kubelet");
  announce(node);
}

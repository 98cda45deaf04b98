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
import { logBoot } from "./kernel_log.ts";
import { keptMessages, type SimulatedNode } from "./node.ts";
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
  const run = { durationMs: node.pace.bootMs / 2, signal, onTask };
  setStage(node, Stage.BOOTING, ["network", "time", "services"]);
  await runSequence(node, initialize, run);
  await runSequence(node, boot, run);
  if (signal.aborted) return;
  setStage(node, Stage.RUNNING, []);
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
  loadConfig: configuredContents,
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
  if (task === "waitForCARoots") await openApi(node);
  if (task === "startAllServices") startAllServices(node);
}

async function openApi(node: SimulatedNode): Promise<void> {
  startService(node, "apid");
  await node.network.up();
  node.reachable = true;
}

function startAllServices(node: SimulatedNode): void {
  startService(node, "cri");
  if (node.identity.machineType === "controlplane") {
    for (const id of controlPlaneServices) startService(node, id);
  }
  startService(node, "kubelet");
  announce(node);
}

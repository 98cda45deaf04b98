import { clusterContents, publishMember } from "../node/contents/cluster.ts";
import { type NodeResource, putAll } from "../node/contents/content.ts";
import { hardwareContents } from "../node/contents/hardware.ts";
import { intermediateContents } from "../node/contents/intermediate.ts";
import { kubernetesContents } from "../node/contents/kubernetes.ts";
import { networkContents } from "../node/contents/network.ts";
import { secretContents } from "../node/contents/secrets.ts";
import { settingsContents } from "../node/contents/settings.ts";
import { diskContents, mountContents } from "../node/contents/storage.ts";
import { volumeContents } from "../node/contents/volumes.ts";
import {
  configuredContents,
  unconfiguredContents,
} from "../node/contents/system.ts";
import { startEtcd, untilEtcd } from "../etcd/etcd_service.ts";
import { triggerFault } from "../state/faults.ts";
import { publishDiagnostics } from "../node/diagnostics.ts";
import { publishMeta } from "../node/meta.ts";
import type { SimulatedNode } from "../state/node.ts";
import { findTrust, loadIdentity } from "../state/node_configuration.ts";
import { registerNode } from "../node/readiness.ts";
import { endOfTask } from "./sequencer.ts";
import { startService } from "../node/system_services.ts";
import { noTrust } from "../state/trust.ts";

/** Runs a boot task. */
export async function bootTask(
  node: SimulatedNode,
  task: string,
): Promise<void> {
  const service = task.match(
    /^(?:start|waitFor)(Udevd|Machined|Apid|Auditd|Syslogd|Containerd|Dashboard)$/,
  );
  if (service?.[1]) startService(node, service[1].toLowerCase());
  const contents = contentsAfter[task];
  if (contents) putAll(node, contents(node));
  if (task === "reloadMeta") publishMeta(node);
  if (task === "loadConfig") await loadConfig(node);
  if (task === "waitForCARoots") await openApi(node);
  if (task === "startAllServices") await startAllServices(node);
}

/** Resources that become available during boot, by task. */
const contentsAfter: Readonly<
  Record<string, (node: SimulatedNode) => readonly NodeResource[]>
> = {
  reloadMeta: unconfiguredContents,
  waitForUSB: (node) => [
    ...hardwareContents(node),
    ...diskContents(node.disk),
    ...volumeContents(node.disk.userDisks),
  ],
  setUserEnvVars: networkContents,
  mountEphemeralPartition: () => mountContents,
  waitForCARoots: clusterContents,
  startAllServices: (node) => [
    ...kubernetesContents(node),
    ...intermediateContents(node),
  ],
};

async function loadConfig(node: SimulatedNode): Promise<void> {
  if (triggerFault(node, "returns-unconfigured", "Boot")) {
    node.disk.configured = false;
    await node.save();
  }
  const early = triggerFault(node, "maintenance-before-boot", "Boot");
  if (early && node.disk.configured) {
    await offerMaintenance(node, early.ms ?? 200);
  }
  if (!node.disk.configured) return;
  await loadIdentity(node);
  putAll(node, [
    ...configuredContents(node),
    ...secretContents(node),
    ...settingsContents(node),
  ]);
}

/** Serves the maintenance API for a while although the node is configured. */
async function offerMaintenance(
  node: SimulatedNode,
  ms: number,
): Promise<void> {
  node.disk.configured = false;
  await openNetwork(node);
  await node.clock.sleep(ms, node.boot.power.signal);
  node.network.down();
  node.boot.reachable = false;
  node.disk.configured = true;
}

async function openApi(node: SimulatedNode): Promise<void> {
  // Some versions start it earlier.
  if (!node.boot.services.has("apid")) startService(node, "apid");
  if (node.trust.issuer === undefined) node.work(openApiLater(node));
  else await openNetwork(node);
}

/** A worker gets its certificate from a control plane, which may not be up yet. */
async function openApiLater(node: SimulatedNode): Promise<void> {
  const { signal } = node.boot.power;
  while (node.trust.issuer === undefined && !signal.aborted) {
    await node.clock.sleep(100, signal);
    node.trust = await findTrust(node) ?? noTrust;
  }
  if (!signal.aborted) await openNetwork(node);
}

/** Starts accepting connections. */
export async function openNetwork(node: SimulatedNode): Promise<void> {
  const { signal } = node.boot.power;
  if (!node.faults.has("unavailable")) await node.network.up();
  // The node may have lost power meanwhile.
  if (signal.aborted) return node.network.down();
  node.boot.reachable = !node.faults.has("unavailable");
}

async function startAllServices(node: SimulatedNode): Promise<void> {
  const isMember = node.identity.machineType === "controlplane";
  startService(node, "cri");
  if (isMember) {
    startService(node, "trustd");
    if (triggerFault(node, "etcd-data-lost", "Boot")) {
      await node.etcd.server.wipe();
    }
    startEtcd(node);
    await node.etcd.instance?.startup;
    if (node.boot.power.signal.aborted) return;
  }
  startService(node, "kubelet");
  publishMember(node);
  registerNode(node);
  publishDiagnostics(node);
  if (isMember) await untilEtcd(node, endOfTask(node));
}

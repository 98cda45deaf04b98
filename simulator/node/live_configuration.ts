/** Applies configurations to a running node, permanently or in try mode. */

import { triggerFault } from "../state/faults.ts";
import { clusterContents, publishMember } from "./contents/cluster.ts";
import { type NodeResource, putChanged, toKey } from "./contents/content.ts";
import {
  kubernetesContents,
  registrationContents,
  staticPodContents,
} from "./contents/kubernetes.ts";
import { networkContents } from "./contents/network.ts";
import { secretContents } from "./contents/secrets.ts";
import { settingsContents } from "./contents/settings.ts";
import { configuredContents } from "./contents/system.ts";
import { logKernel } from "./logs.ts";
import { machineConfig, persistentConfig } from "../state/machine_config.ts";
import type { SimulatedNode } from "../state/node.ts";
import {
  findMain,
  findTrust,
  loadIdentity,
} from "../state/node_configuration.ts";
import { startService, stopService } from "./system_services.ts";
import { sameTrust, type SimulatedTrust, trustSpec } from "../state/trust.ts";

/** Saves a configuration to the node's disk without applying it. */
export async function saveConfiguration(
  node: SimulatedNode,
  text: string,
): Promise<void> {
  const running = machineConfig(node);
  node.disk.configuration = text;
  runWith(node, running);
  putChanged(node, configuredContents(node));
  await node.save();
}

/**
 * Applies a configuration immediately and until the next boot. Returns true if the node
 * has another address now, and its clients are disconnected.
 */
export async function applyLive(
  node: SimulatedNode,
  text: string,
): Promise<boolean> {
  const { identity: before, trust } = node;
  const shown = groups.map((group) => publishedIn(node, group));
  const kubelet = kubeletInput(node);
  runWith(node, text);
  await loadIdentity(node);
  if (node.trust.issuer === undefined) awaitTrust(node, trust);
  const { address } = node.identity;
  shown.forEach((old, index) => republish(node, old, groups[index]!)); // same length
  if (kubelet !== undefined && kubeletInput(node) !== kubelet) {
    restartKubelet(node);
  }
  // Static pods restart now, not when they are next read.
  node.cluster.kubernetesApi?.reconcile();
  publishMember(node);
  const hasMoved = address !== before.address;
  if (hasMoved || !sameTrust(trust, node.trust)) await node.network.renew();
  if (hasMoved) node.network.disconnect();
  return hasMoved;
}

/** Inputs of a node's kubelet, including secrets, as text; `undefined` if it has none. */
function kubeletInput(node: SimulatedNode): string | undefined {
  const key = toKey({ type: "KubeletSpecs.kubernetes", id: "kubelet" });
  const found = node.boot.resources.get(key);
  if (found === undefined) return undefined;
  const cluster = findMain(node).get("cluster");
  const { ca, others } = trustSpec(cluster);
  // On control planes it uses the local API server.
  const endpoint = node.identity.machineType === "worker" &&
    cluster.get("controlPlane", "endpoint").text();
  const token = cluster.get("token").text();
  return JSON.stringify([found.spec, ca.crt, others, token, endpoint]);
}

function restartKubelet(node: SimulatedNode): void {
  if (node.boot.services.get("kubelet")?.state !== "Running") return;
  stopService(node, "kubelet");
  const late = triggerFault(node, "kubelet-late", "kubelet");
  if (late === undefined) return startService(node, "kubelet");
  const { signal } = node.boot.power;
  node.work(node.idle((async () => {
    await node.clock.sleep(late.ms ?? lateMs, signal);
    if (!signal.aborted) startService(node, "kubelet");
  })()));
}

/** Restart delay of a slow kubelet, in milliseconds. */
const lateMs = 120_000;

/** Keeps the previous trust of a node until a certificate is signed for it. */
function awaitTrust(node: SimulatedNode, before: SimulatedTrust): void {
  node.trust = before;
  const text = machineConfig(node);
  const { signal } = node.boot.power;
  const isWanted = () => !signal.aborted && machineConfig(node) === text;
  node.work(node.idle((async () => {
    while (isWanted()) {
      await node.clock.sleep(retryMs, signal);
      const found = isWanted() ? await findTrust(node) : undefined;
      if (!found) continue;
      node.trust = found;
      return await node.network.renew();
    }
  })()));
}

/** Retry interval for signing a certificate, in milliseconds. */
const retryMs = 1_000;

/**
 * Applies a configuration in try mode; then reverts to the previous one.
 *
 * @param forMs Duration in milliseconds.
 * @returns As {@linkcode applyLive}.
 */
export async function tryConfiguration(
  node: SimulatedNode,
  text: string,
  forMs: number,
): Promise<boolean> {
  endTrial(node);
  const before = machineConfig(node);
  const trial = new AbortController();
  node.boot.trial = trial;
  const ended = AbortSignal.any([trial.signal, node.boot.power.signal]);
  const moved = await applyLive(node, text);
  const wait = node.clock.sleep(forMs, ended);
  node.work(
    node.idle(wait).then(async () => {
      if (ended.aborted) return;
      logKernel(node, "rolling back the configuration");
      node.boot.trial = undefined;
      await applyLive(node, before);
    }),
  );
  return moved;
}

/** Ends try mode: the configuration stays until the node reboots or gets another one. */
export function endTrial({ boot }: SimulatedNode): void {
  boot.trial?.abort();
  boot.trial = undefined;
}

function runWith(node: SimulatedNode, text: string): void {
  node.boot.liveConfiguration = text === persistentConfig(node)
    ? undefined
    : text;
}

type ContentGroup = (node: SimulatedNode) => readonly NodeResource[];

/** Groups of resources that depend on the configuration; a group is published if any of it was before. */
const groups: readonly ContentGroup[] = [
  configuredContents,
  secretContents,
  settingsContents,
  networkContents,
  clusterContents,
  kubernetesContents,
  registrationContents,
  staticPodContents,
];

function publishedIn(
  node: SimulatedNode,
  group: ContentGroup,
): readonly NodeResource[] {
  return group(node).filter((content) =>
    node.boot.resources.get(toKey(content)) !== undefined
  );
}

/** Replaces the published resources of a group. */
function republish(
  node: SimulatedNode,
  old: readonly NodeResource[],
  group: ContentGroup,
): void {
  if (old.length === 0) return;
  const contents = group(node);
  const kept = new Set(contents.map(({ type, id }) => `${type} ${id}`));
  for (const { type, id } of old) {
    if (!kept.has(`${type} ${id}`)) {
      node.boot.resources.remove(toKey({ type, id }));
    }
  }
  putChanged(node, contents);
}

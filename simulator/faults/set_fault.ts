/** Switches faults of a simulated node on and off while it runs. */

import { bootNode, powerOff } from "../boot/boot.ts";
import { machineConfig } from "../state/machine_config.ts";
import type { EtcdAlarmKind } from "../state/etcd.ts";
import { rpcAnswer } from "../etcd/etcd_error.ts";
import { startEtcd, stopEtcd } from "../etcd/etcd_service.ts";
import { removeByOthers } from "../etcd/leave.ts";
import type { KubernetesApi } from "../kubernetes/api.ts";
import { readFields } from "../state/kubernetes_objects.ts";
import { logKernelErrors, publishDiagnostics } from "../node/diagnostics.ts";
import { applyLive } from "../node/live_configuration.ts";
import { registerNode } from "../node/readiness.ts";
import type { SimulatedNode } from "../state/node.ts";
import { publishMember } from "../node/contents/cluster.ts";
import type { FaultName, FaultOptions } from "../state/faults.ts";

/**
 * Switches a fault on or off.
 *
 * @param options Fault options; `false` switches it off, if it is on.
 * @returns Once it has taken effect.
 * @throws {RpcError} If etcd refuses a change that the fault requires.
 */
export async function setFault(
  node: SimulatedNode,
  name: FaultName,
  options: FaultOptions | false = {},
): Promise<void> {
  const isOn = options !== false;
  if (isOn) {
    const remaining = options.calls ?? Infinity;
    node.faults.set(name, { ...options, remaining, triggered: false });
  } else if (!node.faults.delete(name)) return;
  try {
    await effects[name]?.(node, isOn);
  } catch (error) {
    node.faults.delete(name);
    throw error;
  }
}

type FaultEffect = (node: SimulatedNode, isOn: boolean) => Promise<void> | void;

/** Immediate effects of switching a fault; other faults are looked up when they matter. */
const effects: Readonly<Partial<Record<FaultName, FaultEffect>>> = {
  "vip-moves": reconnect,
  "server-cert-expired": reconnect,
  "server-cert-not-yet-valid": reconnect,
  "server-ca-changed": reconnect,
  "client-cert-refused": reconnect,
  "not-in-san": reconnect,
  blackhole: (node, isOn) => isOn ? node.network.freeze() : reconnect(node),
  async unavailable(node, isOn) {
    if (node.boot.power.signal.aborted) return;
    node.network.down();
    if (!isOn) await node.network.up();
    node.boot.reachable = !isOn;
  },
  async maintenance(node, isOn) {
    powerOff(node);
    node.disk.configured = !isOn;
    await node.save();
    const booted = bootNode(node);
    node.work(booted);
    // It may have to wait for other nodes, which wait until this node's fault is off.
    const waits = new Promise<void>((resolve) => node.etcd.onWait = resolve);
    await Promise.race([booted, waits]);
  },
  async "etcd-stopped"(node, isOn) {
    if (isOn) return await stopEtcd(node);
    startEtcd(node);
    await node.etcd.instance?.startup;
  },
  async "etcd-removed"(node, isOn) {
    if (isOn) return await removeByOthers(node);
    await rejoin(node);
  },
  "etcd-nospace": (node, isOn) => alarm(node, isOn && "NOSPACE"),
  "etcd-corrupt": (node, isOn) => alarm(node, isOn && "CORRUPT"),
  async "etcd-learner"(node, isOn) {
    if (!isOn) return node.cluster.etcd.backend.changes.notify();
    await removeByOthers(node);
    await rejoin(node);
  },
  async "etcd-leads"(node, isOn) {
    if (isOn) await takeLeadership(node);
  },
  "lease-lost"({ cluster: { kubernetesApi }, clock }, isOn) {
    if (isOn && kubernetesApi) takeLeases(kubernetesApi, clock.now());
  },
  async "address-moves"(node) {
    if (node.disk.configured && !node.boot.power.signal.aborted) {
      await applyLive(node, machineConfig(node));
    }
  },
  "kernel-errors": (node, isOn) => {
    if (isOn) logKernelErrors(node);
  },
  "kubelet-silent": registerNode,
  "address-overlap": publishDiagnostics,
  "kubelet-csr": publishDiagnostics,
  "member-missing": publishMember,
  "discovery-down": publishMember,
  "public-address-first": publishMember,
};

/** Starts etcd without its data, so that its member is added again. */
async function rejoin(node: SimulatedNode): Promise<void> {
  await stopEtcd(node);
  await node.etcd.server.wipe();
  startEtcd(node);
  await node.etcd.instance?.startup;
}

/** Raises an alarm of a node's member, or disarms all. */
async function alarm(
  { etcd: { server: { client } } }: SimulatedNode,
  kind: EtcdAlarmKind | false,
): Promise<void> {
  if (kind) await rpcAnswer(client.raise(kind));
  else await rpcAnswer(client.disarm());
}

async function reconnect(node: SimulatedNode): Promise<void> {
  if (!node.boot.reachable) return;
  node.network.down();
  await node.network.up();
}

/** Transfers the etcd leadership to the member of a node. Throws RpcError if etcd refuses. */
export async function takeLeadership(node: SimulatedNode): Promise<void> {
  const { client } = node.etcd.server;
  const { memberId, leader } = await rpcAnswer(client.status());
  if (memberId === leader) return;
  for (const { etcd: { server } } of node.cluster.nodes) {
    if (!server.isRunning()) continue;
    const id = await rpcAnswer(server.client.memberId());
    if (id === leader) {
      return await rpcAnswer(server.client.moveLeader(memberId));
    }
  }
}

const folder = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

/** Makes another client the holder of every Lease in `kube-system`. `now`: milliseconds since 1970. */
export function takeLeases(
  { request }: Pick<KubernetesApi, "request">,
  now: number,
): void {
  const { body } = request({ method: "GET", path: folder });
  const { items } = readFields(body);
  for (const item of Array.isArray(items) ? items : []) {
    const { metadata, spec } = readFields(item);
    const { name } = readFields(metadata);
    const transitions = Number(readFields(spec).leaseTransitions ?? 0);
    const time = `${new Date(now).toISOString().slice(0, -1)}000Z`;
    const taken = {
      holderIdentity: "elsewhere",
      acquireTime: time,
      renewTime: time,
      leaseTransitions: transitions + 1,
    };
    request({
      method: "PATCH",
      path: `${folder}/${encodeURIComponent(String(name))}`,
      body: { spec: taken },
    });
  }
}

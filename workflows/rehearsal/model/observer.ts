import { createHash } from "node:crypto";
import type { CertificateAuthority } from "../../../pki/certificate.ts";
import { machineConfig } from "../../../simulator/state/machine_config.ts";
import type {
  ObservedCluster,
  ObservedNode,
  QuorumRecord,
} from "./observed_state.ts";
import type { RecordedCall } from "../../../simulator/in_process/transport.ts";
import type { EtcdModel } from "../../../simulator/etcd/model_backend.ts";
import {
  type EtcdModelCluster,
  voters,
} from "../../../simulator/etcd/model_cluster.ts";
import type { KubernetesApi } from "../../../simulator/kubernetes/api.ts";
import {
  kinds,
  readFields,
} from "../../../simulator/state/kubernetes_objects.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { runningRelease } from "../../../simulator/release/release.ts";
import type { Certificate } from "../../../simulator/state/trust.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../../../transport/gen/machine_events.ts";

interface Observed {
  readonly now: () => number;
  /** Nodes, past and present. */
  readonly nodes: () => readonly SimulatedNode[];
  readonly isPart: (node: SimulatedNode) => boolean;
  readonly etcd: EtcdModel;
  readonly kubernetes: Pick<KubernetesApi, "find">;
  readonly calls: readonly RecordedCall[];
}

interface Observer {
  /** Reads the state of etcd; call it whenever everything waits. */
  readonly look: () => void;
  /** Drops earlier observations. */
  readonly begin: () => void;
  readonly observe: () => ObservedCluster;
}

/** Creates an observer of a cluster. */
export function observer(observed: Observed): Observer {
  let quorum: QuorumRecord[] = [];
  let last = "";
  let dataLost = 0;

  function look(): void {
    const { at, ...now } = standing(observed);
    const text = JSON.stringify(now);
    if (text === last) return;
    last = text;
    if ((quorum.at(-1)?.copies ?? 0) > 0 && now.copies === 0) dataLost++;
    quorum.push({ at, ...now });
  }

  function observe(): ObservedCluster {
    look();
    const clusters = [
      ...new Set(
        [...observed.etcd.data.values()].map(({ cluster }) => cluster),
      ),
    ];
    return {
      at: observed.now(),
      nodes: observed.nodes().map((node) =>
        nodeTruth(observed, node, clusters)
      ),
      quorum: [...quorum],
      dataLost,
      calls: observed.calls.map((call) => ({ ...call })),
    };
  }

  function begin(): void {
    quorum = quorum.slice(-1);
    dataLost = 0;
  }

  return { look, begin, observe };
}

function standing({ now, nodes, isPart, etcd }: Observed): QuorumRecord {
  const members = nodes().filter((node) =>
    isPart(node) && node.identity.machineType === "controlplane"
  );
  const data = members.flatMap(({ origin }) =>
    etcd.data.get(origin.hostname) ?? []
  );
  const clusters = [...new Set(data.map(({ cluster }) => cluster))]
    .filter(hasQuorum).length;
  return {
    at: now(),
    hasQuorum: clusters > 0,
    clusters,
    down: members.filter(({ etcd }) => !etcd.server.isRunning())
      .map(({ origin }) => origin.hostname),
    copies: data.length,
  };
}

function hasQuorum(cluster: EtcdModelCluster): boolean {
  const all = voters(cluster);
  return all.filter(({ id }) => cluster.running.has(id)).length >
    all.length / 2;
}

function nodeTruth(
  observed: Observed,
  node: SimulatedNode,
  clusters: readonly EtcdModelCluster[],
): ObservedNode {
  const {
    identity,
    counts,
    trust,
    kubernetes,
    disk: { bootEntries },
    boot,
  } = node;
  const object = observed.kubernetes.find(kinds.nodes, {
    name: identity.hostname,
  });
  return {
    name: identity.hostname,
    address: identity.address,
    role: identity.machineType,
    isPart: observed.isPart(node),
    isOn: !boot.power.signal.aborted,
    isReachable: boot.reachable,
    isReady: boot.ready && boot.reachable &&
      boot.stage === Stage.RUNNING,
    bootId: boot.id,
    reboots: counts.boots - 1,
    version: runningRelease(node).tag,
    installs: counts.installs,
    slots: bootEntries?.installed.map(({ tag }) => tag) ?? [],
    nextVersion:
      bootEntries?.installed.find(({ name }) => name === bootEntries.chosen)
        ?.tag ?? "",
    isCordoned: readFields(object?.spec).unschedulable === true,
    configuration: machineConfig(node),
    trust: {
      issuer: formatName(trust.issuer),
      accepted: trust.accepted.map(fingerprint),
      kubernetesIssuer: formatName(kubernetes.trust.issuer),
      kubernetesAccepted: kubernetes.trust.accepted.map(fingerprint),
    },
    etcd: etcdTruth(observed, node, clusters),
  };
}

function etcdTruth(
  { etcd }: Observed,
  { origin: { hostname }, etcd: { server } }: SimulatedNode,
  clusters: readonly EtcdModelCluster[],
): ObservedNode["etcd"] {
  const data = etcd.data.get(hostname);
  const own = data?.cluster.members.find(({ id }) => id === data.id);
  const isRunning = server.isRunning();
  return {
    isRunning,
    hasData: data !== undefined,
    cluster: data ? clusters.indexOf(data.cluster) : -1,
    isLearner: own?.isLearner ?? false,
    isLeader: isRunning && own !== undefined &&
      data?.cluster.leader === own.id,
    members: data?.cluster.members.map(({ name }) => name) ?? [],
  };
}

function formatName(issuer: CertificateAuthority | undefined): string {
  return issuer ? fingerprint(issuer.certificate) : "";
}

const known = new WeakMap<Certificate, string>();

function fingerprint(certificate: Certificate): string {
  const hash = known.get(certificate) ??
    createHash("sha256").update(certificate).digest("hex");
  known.set(certificate, hash);
  return hash;
}

/** What runs for Kubernetes on a node. */

import { imagePrefix } from "../../../dialect.ts";
import type { SimulatedNode } from "../../node/node.ts";
import type { Content } from "./content.ts";

/** Names of the static pods of a control plane. */
export const staticPods: readonly string[] = [
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
];

/** What a node knows of Kubernetes before there is any: about the kubelet and, on control planes, etcd. */
export function kubernetesContents(node: SimulatedNode): readonly Content[] {
  const { hostname, address, machineType } = node.identity;
  const worker: readonly Content[] = [
    {
      type: "Nodenames.kubernetes",
      id: "nodename",
      owner: "k8s.NodenameController",
      spec: {
        nodename: hostname,
        hostnameVersion: "1",
        skipNodeRegistration: false,
      },
    },
    {
      type: "NodeIPs.kubernetes",
      id: "kubelet",
      owner: "k8s.NodeIPController",
      spec: { addresses: [address] },
    },
    {
      type: "KubeletSpecs.kubernetes",
      id: "kubelet",
      owner: "k8s.KubeletSpecController",
      spec: kubelet(node),
    },
    {
      type: "KubePrismStatuses.kubernetes",
      id: "k8s-loadbalancer",
      owner: "k8s.KubePrismController",
      spec: { host: "127.0.0.1:7445", healthy: true },
    },
  ];
  return machineType === "worker" ? worker : [...worker, etcdSpec(node)];
}

/** What a node knows of itself once Kubernetes knows it. */
export function registrationContents(
  node: SimulatedNode,
): readonly Content[] {
  return [{
    type: "NodeStatuses.kubernetes",
    id: node.identity.hostname,
    owner: "k8s.NodeStatusController",
    spec: nodeStatus(node),
  }];
}

function etcdSpec({ identity, cluster }: SimulatedNode): Content {
  const { hostname, address } = identity;
  return {
    type: "EtcdSpecs.etcd",
    id: "etcd",
    owner: "etcd.SpecController",
    spec: {
      name: hostname,
      advertisedAddresses: [address],
      listenPeerAddresses: ["::"],
      listenClientAddresses: ["::"],
      image: `gcr.io/etcd-development/etcd:${cluster.release.etcd}`,
      extraArgs: {},
    },
  };
}

/** The static pods of a control plane whose etcd serves. */
export function staticPodContents(node: SimulatedNode): readonly Content[] {
  const { hostname } = node.identity;
  return [
    ...staticPods.map((id) => ({
      type: "StaticPods.kubernetes",
      id,
      owner: "k8s.ControlPlaneStaticPodController",
      spec: staticPod(node, id),
    })),
    ...staticPods.map((id) => ({
      type: "StaticPodStatuses.kubernetes",
      id: `kube-system/${id}-${hostname}`,
      owner: "k8s.KubeletStaticPodController",
      spec: podStatus(node, id),
    })),
  ];
}

function kubelet(node: SimulatedNode) {
  const { hostname, address } = node.identity;
  return {
    image: `${imagePrefix}/kubelet:v${node.cluster.kubernetes}`,
    args: [
      "--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubeconfig",
      "--cert-dir=/var/lib/kubelet/pki",
      "--config=/etc/kubernetes/kubelet.yaml",
      `--hostname-override=${hostname}`,
      "--kubeconfig=/etc/kubernetes/kubeconfig-kubelet",
      `--node-ip=${address}`,
    ],
    expectedNodename: hostname,
    config: {
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      clusterDNS: ["10.96.0.10"],
      clusterDomain: "cluster.local",
    },
  };
}

function nodeStatus({ identity: { hostname, machineType } }: SimulatedNode) {
  const role = "node-role.kubernetes.io/control-plane";
  return {
    nodename: hostname,
    nodeReady: true,
    unschedulable: false,
    labels: {
      "kubernetes.io/hostname": hostname,
      "kubernetes.io/os": "linux",
      ...(machineType === "controlplane" ? { [role]: "" } : {}),
    },
    annotations: {},
    podCIDRs: ["10.244.0.0/24"],
  };
}

/** Image of a static pod. */
export function staticPodImage(node: SimulatedNode, id: string): string {
  return `registry.k8s.io/${id}:v${node.cluster.kubernetes}`;
}

function staticPod(node: SimulatedNode, id: string) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: id,
      namespace: "kube-system",
      labels: { "k8s-app": id, component: id, tier: "control-plane" },
    },
    spec: {
      hostNetwork: true,
      priorityClassName: "system-cluster-critical",
      containers: [{
        name: id,
        image: staticPodImage(node, id),
        command: [`/usr/local/bin/${id}`],
      }],
    },
  };
}

function podStatus(node: SimulatedNode, id: string) {
  const since = new Date(node.boot.startedAt).toISOString().replace(
    /\.\d+/,
    "",
  );
  const conditions = [
    "Initialized",
    "Ready",
    "ContainersReady",
    "PodScheduled",
  ];
  return {
    phase: "Running",
    hostIP: node.identity.address,
    podIP: node.identity.address,
    startTime: since,
    conditions: conditions.map((type) => ({
      type,
      status: "True",
      lastTransitionTime: since,
    })),
    containerStatuses: [{
      name: id,
      image: staticPodImage(node, id),
      ready: true,
      restartCount: 0,
      started: true,
    }],
  };
}

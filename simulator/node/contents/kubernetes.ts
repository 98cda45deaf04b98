import { parseAllDocuments } from "yaml";
import { findRelease } from "../../../config/releases.ts";
import { imagePrefix } from "../../../talos.ts";
import type { SimulatedNode } from "../../state/node.ts";
import { findMain } from "../../state/node_configuration.ts";
import { readSettings } from "../../state/node_settings.ts";
import { runningRelease } from "../../release/release.ts";
import { type NodeResource, resource } from "./content.ts";
import { manifestObject, manifests } from "./manifests.ts";
import {
  firstContainer,
  nodeLabels,
  podName,
  podNamespace,
} from "./settings.ts";

export function etcdImage(node: SimulatedNode): string {
  return findRelease(runningRelease(node).tag).etcd;
}

/** Names of the static pods of a control plane. */
export const staticPods: readonly string[] = [
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
];

/** Kubernetes resources before Kubernetes is up: kubelet and, on control planes, etcd. */
export function kubernetesContents(
  node: SimulatedNode,
): readonly NodeResource[] {
  const { hostname, address, machineType } = node.identity;
  const worker: readonly NodeResource[] = [
    resource("Nodenames.kubernetes", "nodename", "k8s.NodenameController", {
      nodename: hostname,
      hostnameVersion: "1",
      skipNodeRegistration: false,
    }),
    resource("NodeIPs.kubernetes", "kubelet", "k8s.NodeIPController", {
      addresses: [address],
    }),
    resource(
      "KubeletSpecs.kubernetes",
      "kubelet",
      "k8s.KubeletSpecController",
      kubelet(node),
    ),
    resource(
      "KubePrismStatuses.kubernetes",
      "k8s-loadbalancer",
      "k8s.KubePrismController",
      { host: "127.0.0.1:7445", healthy: true },
    ),
  ];
  return machineType === "worker"
    ? worker
    : [...worker, etcdSpec(node), ...componentConfigs(node)];
}

/** Resources of a node that is registered with Kubernetes. */
export function registrationContents(
  node: SimulatedNode,
): readonly NodeResource[] {
  return [
    resource(
      "NodeStatuses.kubernetes",
      node.identity.hostname,
      "k8s.NodeStatusController",
      nodeStatus(node),
    ),
  ];
}

function etcdSpec(node: SimulatedNode): NodeResource {
  const { hostname, address } = node.identity;
  return resource("EtcdSpecs.etcd", "etcd", "etcd.SpecController", {
    name: hostname,
    advertisedAddresses: [address],
    listenPeerAddresses: ["::"],
    listenClientAddresses: ["::"],
    image: etcdImage(node),
    extraArgs: {},
  });
}

/** Static pods of a control plane with a serving etcd, and its manifests. */
export function staticPodContents(
  node: SimulatedNode,
): readonly NodeResource[] {
  const { hostname } = node.identity;
  const inline = Object.entries(readSettings(node).inlineManifests);
  return [
    ...staticPods.map((
      id,
    ) => (resource(
      "StaticPods.kubernetes",
      id,
      "k8s.ControlPlaneStaticPodController",
      staticPod(node, id),
    ))),
    ...staticPods.map((
      id,
    ) => (resource(
      "StaticPodStatuses.kubernetes",
      `kube-system/${id}-${hostname}`,
      "k8s.KubeletStaticPodController",
      podStatus(node, id, staticPodImage(node, id)),
    ))),
    ...readSettings(node).pods.map((pod) =>
      resource(
        "StaticPodStatuses.kubernetes",
        `${podNamespace(pod)}/${podName(pod)}-${hostname}`,
        "k8s.KubeletStaticPodController",
        podStatus(node, ...firstContainer(pod)),
      )
    ),
    ...Object.entries(manifests).map(([id, objects]) =>
      resource("Manifests.kubernetes", id, "k8s.ManifestController", {
        items: objects.map((text) =>
          manifestObject(
            text,
            staticPodImage(node, "kube-proxy"),
            runningRelease(node).tag,
          )
        ),
      })
    ),
    ...inline.map(([name, contents]) =>
      resource(
        "Manifests.kubernetes",
        `99-${name}`,
        "k8s.ExtraManifestController",
        { items: parseObjects(contents) },
      )
    ),
    resource(
      "ManifestStatuses.kubernetes",
      "manifests",
      "k8s.ManifestApplyController",
      {
        manifestsApplied: [
          ...Object.keys(manifests),
          ...inline.map(([name]) => `99-${name}`),
        ],
      },
    ),
  ];
}

/** Objects of an inline manifest; none of a document that is no YAML. */
function parseObjects(contents: string): readonly unknown[] {
  return parseAllDocuments(contents).flatMap((document) =>
    document.errors.length > 0 ? [] : document.toJS() ?? []
  );
}

function kubelet(node: SimulatedNode) {
  const { hostname, address } = node.identity;
  const { extraArgs, extraConfig, clusterDns } = readSettings(node).kubelet;
  const args: Readonly<Record<string, readonly string[]>> = {
    "bootstrap-kubeconfig": ["/etc/kubernetes/bootstrap-kubeconfig"],
    "cert-dir": ["/var/lib/kubelet/pki"],
    config: ["/etc/kubernetes/kubelet.yaml"],
    "hostname-override": [hostname],
    kubeconfig: ["/etc/kubernetes/kubeconfig-kubelet"],
    "node-ip": [address],
    ...extraArgs,
  };
  return {
    image: findMain(node).get("machine", "kubelet", "image").text() ??
      `${imagePrefix}/kubelet:v${node.cluster.kubernetes}`,
    args: Object.keys(args).sort().flatMap((name) =>
      (args[name] ?? []).map((value) => `--${name}=${value}`)
    ),
    // A name set by the user is not checked.
    expectedNodename: "hostname-override" in extraArgs ? "" : hostname,
    config: {
      clusterDNS: clusterDns.length === 0 ? ["10.96.0.10"] : clusterDns,
      clusterDomain: "cluster.local",
      ...extraConfig,
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
    },
  };
}

function nodeStatus(node: SimulatedNode) {
  const { identity: { hostname }, faults } = node;
  return {
    nodename: hostname,
    nodeReady: !faults.has("kubelet-silent"),
    unschedulable: node.kubernetes.isCordoned,
    labels: {
      "kubernetes.io/hostname": hostname,
      "kubernetes.io/os": "linux",
      ...nodeLabels(node),
    },
    annotations: readSettings(node).annotations,
    podCIDRs: ["10.244.0.0/24"],
  };
}

export function staticPodImage(node: SimulatedNode, id: string): string {
  const section = sections[id] ?? id;
  return findMain(node).get("cluster", section, "image").text() ??
    `registry.k8s.io/${id}:v${node.cluster.kubernetes}`;
}

/** Configuration sections of components. */
const sections: Readonly<Record<string, string>> = {
  "kube-apiserver": "apiServer",
  "kube-controller-manager": "controllerManager",
  "kube-proxy": "proxy",
  "kube-scheduler": "scheduler",
};

/** Component configurations of the static pods of a control plane. */
function componentConfigs(node: SimulatedNode): readonly NodeResource[] {
  const cluster = findMain(node).get("cluster");
  const common = {
    extraArgs: {},
    extraVolumes: [],
    environmentVariables: {},
  };
  const resources = { requests: {}, limits: {} };
  const [api = "", manager = "", scheduler = ""] = staticPods;
  const { splitsApiServer } = readSettings(node);
  const pods = ["10.244.0.0/16"];
  const services = ["10.96.0.0/12"];
  return [
    resource(
      "APIServerConfigs.kubernetes",
      api,
      "k8s.ControlPlaneAPIServerController",
      {
        image: staticPodImage(node, api),
        cloudProvider: "",
        controlPlaneEndpoint: cluster.get("controlPlane", "endpoint").text() ??
          "",
        etcdServers: ["https://127.0.0.1:2379"],
        localPort: 6443,
        serviceCIDR: services,
        ...common,
        podSecurityPolicyEnabled:
          cluster.get("apiServer", "disablePodSecurityPolicy").truth() !== true,
        advertisedAddress: "$(POD_IP)",
        resources,
        startupProbesEnabled: splitsApiServer,
        useAuthenticationConfig: splitsApiServer,
      },
    ),
    resource(
      "ControllerManagerConfigs.kubernetes",
      manager,
      "k8s.ControlPlaneControllerManagerController",
      {
        enabled: true,
        image: staticPodImage(node, manager),
        cloudProvider: "",
        podCIDRs: pods,
        serviceCIDRs: services,
        ...common,
        resources,
        nodeCIDRMaskSizeIPv4: 24,
        nodeCIDRMaskSizeIPv6: 64,
      },
    ),
    resource(
      "SchedulerConfigs.kubernetes",
      scheduler,
      "k8s.ControlPlaneSchedulerController",
      {
        enabled: true,
        image: staticPodImage(node, scheduler),
        ...common,
        resources,
        config: {},
      },
    ),
  ];
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

function podStatus(node: SimulatedNode, id: string, image: string) {
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
      image,
      ready: true,
      restartCount: 0,
      started: true,
    }],
  };
}

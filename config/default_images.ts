/** Container images and versions of new configurations and clusters. */

import { defaultRelease, imagePrefix, systemName } from "../dialect.ts";

/** Kubernetes, without `v`. */
export const defaultKubernetes = "1.34.1";

/** Images by what runs in them; those of Kubernetes take `:v` and its version. */
export const defaultImages = {
  /** Kubelet, without a tag. */
  kubelet: `${imagePrefix}/kubelet`,
  /** API server, without a tag. */
  apiServer: "registry.k8s.io/kube-apiserver",
  /** Controller manager, without a tag. */
  controllerManager: "registry.k8s.io/kube-controller-manager",
  /** Scheduler, without a tag. */
  scheduler: "registry.k8s.io/kube-scheduler",
  /** Proxy, without a tag. */
  proxy: "registry.k8s.io/kube-proxy",
  /** etcd, with its tag. */
  etcd: "registry.k8s.io/etcd:v3.6.11",
  /** DNS server of the cluster, with its tag. */
  coreDns: "registry.k8s.io/coredns/coredns:v1.14.2",
  /** Network of the pods, with its tag. */
  flannel: `${imagePrefix}/flannel:v0.27.4`,
  /** What holds the namespaces of a pod, with its tag. */
  pause: "registry.k8s.io/pause:3.10.1",
  /** Installer of the release a configuration is for when nobody says which, with its tag. */
  installer: `${imagePrefix}/installer:${defaultRelease}`,
} as const;

/**
 * Images a cluster runs when its configurations name no others, in the order the peer lists them.
 *
 * @param kubernetes Version of Kubernetes, without `v`.
 */
export function clusterImages(
  kubernetes: string = defaultKubernetes,
): readonly string[] {
  const { flannel, coreDns, etcd, pause } = defaultImages;
  const { apiServer, controllerManager, scheduler, proxy, kubelet } =
    defaultImages;
  const versioned = [apiServer, controllerManager, scheduler, proxy, kubelet];
  return [
    flannel,
    coreDns,
    etcd,
    ...versioned.map((image) => `${image}:v${kubernetes}`),
    pause,
  ];
}

/**
 * Images a release of the operating system is published as, in the order the peer lists them.
 *
 * @param release Version with `v`.
 */
export function releaseImages(release: string): readonly string[] {
  return [
    "installer",
    "installer-base",
    "imager",
    systemName,
    `${systemName}ctl-all`,
    "overlays",
    "extensions",
  ].map((name) => `${imagePrefix}/${name}:${release}`);
}

/** Container images and versions of new configurations. */

import { defaultRelease, imagePrefix } from "../dialect.ts";

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
  /** Installer of the release a configuration is for when nobody says which, with its tag. */
  installer: `${imagePrefix}/installer:${defaultRelease}`,
} as const;

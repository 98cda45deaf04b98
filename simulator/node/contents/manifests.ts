/** Bootstrap manifests of control planes. */

import { findRelease } from "../../../config/releases.ts";
import { defaultRelease } from "../../../talos.ts";

interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  /** Workloads only. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** Objects of the bootstrap manifests, by manifest name. */
export const manifests: Readonly<Record<string, readonly string[]>> = {
  "00-kubelet-bootstrapping-token": ["Secret kube-system/bootstrap-token"],
  "01-csr-approver-role-binding": [
    "ClusterRoleBinding system-bootstrap-approve-node-client-csr",
  ],
  "01-csr-node-bootstrap": [
    "ClusterRoleBinding system-bootstrap-node-bootstrapper",
  ],
  "01-csr-renewal-role-binding": [
    "ClusterRoleBinding system-bootstrap-node-renewal",
  ],
  "05-flannel": [
    "ClusterRole flannel",
    "ClusterRoleBinding flannel",
    "ServiceAccount kube-system/flannel",
    "ConfigMap kube-system/kube-flannel-cfg",
    "DaemonSet kube-system/kube-flannel",
  ],
  "10-kube-proxy": [
    "DaemonSet kube-system/kube-proxy",
    "ServiceAccount kube-system/kube-proxy",
    "ClusterRoleBinding kube-proxy",
  ],
  "11-core-dns": [
    "ServiceAccount kube-system/coredns",
    "ClusterRole system:coredns",
    "ClusterRoleBinding system:coredns",
    "ConfigMap kube-system/coredns",
    "Deployment kube-system/coredns",
  ],
  "11-core-dns-svc": ["Service kube-system/kube-dns"],
  "11-kube-config-in-cluster": [
    "ConfigMap kube-system/kubeconfig-in-cluster",
  ],
};

/** Objects of all bootstrap manifests. `proxy`: image of kube-proxy; `release`: whose other images they have. */
export function manifestObjects(
  proxy: string,
  release: string = defaultRelease,
): readonly ManifestObject[] {
  return Object.values(manifests).flat()
    .map((text) => manifestObject(text, proxy, release));
}

/** Makes the object of a manifest. `text`: `Kind namespace/name`; others as in {@linkcode manifestObjects}. */
export function manifestObject(
  text: string,
  proxy: string,
  release: string,
): ManifestObject {
  const [kind = "", place = ""] = text.split(" ");
  const [name = "", namespace] = place.split("/").toReversed();
  const group = kind.startsWith("ClusterRole")
    ? "rbac.authorization.k8s.io/"
    : /^(DaemonSet|Deployment)$/.test(kind)
    ? "apps/"
    : "";
  const spec = group === "apps/"
    ? workloadSpecs(proxy, release)[name]
    : undefined;
  const label = name === "coredns" ? "kube-dns" : name;
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(spec === undefined ? {} : { labels: { "k8s-app": label } }),
  };
  return {
    apiVersion: `${group}v1`,
    kind,
    metadata,
    ...(spec === undefined ? {} : { spec }),
  };
}

/** Specs of workloads in the bootstrap manifests, by name. */
function workloadSpecs(
  proxy: string,
  release: string,
): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const { flannel, coreDns } = findRelease(release);
  return {
    "kube-flannel": workloadSpec(
      "kube-flannel",
      hostPodSpec("kube-flannel", flannel),
    ),
    "kube-proxy": workloadSpec("kube-proxy", hostPodSpec("kube-proxy", proxy)),
    coredns: {
      replicas: 2,
      ...workloadSpec("kube-dns", {
        ...podSpec("coredns", coreDns),
        tolerations: [{
          key: "node-role.kubernetes.io/control-plane",
          operator: "Exists",
        }],
      }),
    },
  };
}

function podSpec(name: string, image: string) {
  return { containers: [{ name, image }] };
}

function hostPodSpec(name: string, image: string) {
  return { hostNetwork: true, ...podSpec(name, image) };
}

function workloadSpec(name: string, spec: object) {
  const labels = { "k8s-app": name };
  return {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec },
  };
}

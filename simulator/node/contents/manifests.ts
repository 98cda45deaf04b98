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
  /** Workloads and services. */
  readonly spec?: Readonly<Record<string, unknown>>;
  /** Role bindings only. */
  readonly roleRef?: Readonly<Record<string, string>>;
  readonly subjects?: readonly Readonly<Record<string, string>>[];
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
    ? `${rbac}/`
    : /^(DaemonSet|Deployment)$/.test(kind)
    ? "apps/"
    : "";
  const isWorkload = group === "apps/";
  const spec = isWorkload ? workloadSpecs(proxy, release)[name] : undefined;
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
    ...(kind === "Service" ? { spec: dnsService } : {}),
    ...(kind === "ClusterRoleBinding" ? bindRole(name) : {}),
  };
}

const rbac = "rbac.authorization.k8s.io";

const certificates = "system:certificates.k8s.io:certificatesigningrequests:";

/** Roles and groups of bindings, by name; others bind the role of their name to the service account of their component. */
const bindings: Readonly<
  Record<string, { readonly role: string; readonly groups?: readonly string[] }>
> = {
  "system-bootstrap-approve-node-client-csr": {
    role: `${certificates}nodeclient`,
    groups: ["system:bootstrappers:nodes"],
  },
  "system-bootstrap-node-bootstrapper": {
    role: "system:node-bootstrapper",
    groups: ["system:bootstrappers:nodes", "system:nodes"],
  },
  "system-bootstrap-node-renewal": {
    role: `${certificates}selfnodeclient`,
    groups: ["system:nodes"],
  },
  "kube-proxy": { role: "system:node-proxier" },
};

function bindRole(
  name: string,
): Pick<ManifestObject, "roleRef" | "subjects"> {
  const { role = name, groups } = bindings[name] ?? {};
  const account = {
    kind: "ServiceAccount",
    name: name.replace("system:", ""),
    namespace: "kube-system",
  };
  return {
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
    subjects: groups?.map((group) => ({
      apiGroup: rbac,
      kind: "Group",
      name: group,
    })) ?? [account],
  };
}

const dnsService = {
  selector: { "k8s-app": "kube-dns" },
  ports: [
    { name: "dns", port: 53, protocol: "UDP", targetPort: 53 },
    { name: "dns-tcp", port: 53, protocol: "TCP", targetPort: 53 },
    { name: "metrics", port: 9153, protocol: "TCP", targetPort: 9153 },
  ],
};

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

/** Machine configurations for the nodes of a cluster. */

import { defaultImages, defaultKubernetes } from "../images.ts";
import { type ConfigDocument, identify } from "../documents/load.ts";
import { parseUrl } from "../documents/checks.ts";
import { type Plain, treeOf } from "../tree/node.ts";
import type { Contract } from "./contract.ts";
import type { ClusterSpec, MachineRole } from "./machine_options.ts";

/**
 * Makes the configuration of the nodes with one role. The same spec gives the same documents every
 * time. Returns the main document first, in the form `encodeDocuments` takes.
 */
export function machineConfig(
  spec: ClusterSpec,
  role: MachineRole,
): readonly ConfigDocument[] {
  const made = [mainDocument(spec, role), ...furtherDocuments(spec)];
  return [
    ...made.map((value, index) => documentOf(value, index + 1)),
    ...(spec.documents ?? []).map((document, index) => ({
      ...document,
      number: made.length + index + 1,
    })),
  ];
}

function mainDocument(spec: ClusterSpec, role: MachineRole): Plain {
  return {
    version: "v1alpha1",
    debug: false,
    persist: spec.persist ?? true,
    machine: machineSection(spec, role),
    cluster: clusterSection(spec, role),
  };
}

/** What has a place in the main document of older versions. */
function furtherDocuments(
  { contract, registryMirrors = new Map() }: ClusterSpec,
): readonly Plain[] {
  const apiVersion = "v1alpha1";
  const mirrors = contract.mirrorDocuments ? [...registryMirrors] : [];
  const hostnames = contract.hostnameDocument ? ["stable"] : [];
  return [
    ...mirrors.toSorted(byHost).map(([name, urls]) => ({
      apiVersion,
      kind: "RegistryMirrorConfig",
      name,
      endpoints: urls.map((url) => ({ url })),
    })),
    ...hostnames.map((auto) => ({ apiVersion, kind: "HostnameConfig", auto })),
  ];
}

type Mirror = readonly [host: string, urls: readonly string[]];

function byHost([a]: Mirror, [b]: Mirror): number {
  return a < b ? -1 : 1;
}

function documentOf(value: Plain, number: number): ConfigDocument {
  const document = identify(treeOf(value), number);
  if (!("message" in document)) return document;
  throw new TypeError(document.message);
}

const balancerLabel = "node.kubernetes.io/exclude-from-external-load-balancers";

/** Makes `machine`. */
export function machineSection(spec: ClusterSpec, role: MachineRole): Plain {
  const { contract, secrets } = spec;
  const isWorker = role === "worker";
  const { os } = secrets.certs;
  return {
    type: role,
    token: secrets.trustdInfo.token,
    ca: isWorker ? { crt: os.crt, key: "" } : { ...os },
    certSANs: spec.sans ?? [],
    kubelet: kubelet(spec),
    network: spec.kubespan ? { kubespan: { enabled: true } } : {},
    install: install(spec),
    registries: registries(spec),
    features: features(contract),
    nodeLabels: contract.balancerLabel && !isWorker
      ? { [balancerLabel]: "" }
      : undefined,
  };
}

function kubelet({ contract, kubernetesVersion }: ClusterSpec): Plain {
  return {
    image: imageOf("kubelet", kubernetesVersion),
    defaultRuntimeSeccompProfileEnabled: contract.seccompProfile || undefined,
    disableManifestsDirectory: contract.manifestsDirectoryDisabled || undefined,
  };
}

function install(
  {
    contract,
    installDisk = "/dev/sda",
    installImage = defaultImages.installer,
  }: ClusterSpec,
): Plain {
  return {
    disk: installDisk,
    image: installImage,
    wipe: false,
    grubUseUKICmdline: contract.ukiCommandLine || undefined,
  };
}

function registries(
  { contract, registryMirrors = new Map() }: ClusterSpec,
): Plain | undefined {
  if (contract.mirrorDocuments) return undefined;
  const mirrors = new Map([
    ...(contract.formerRegistryMirrored ? [formerRegistry] : []),
    ...registryMirrors,
  ]);
  return {
    mirrors: Object.fromEntries(
      Array.from(mirrors, ([host, endpoints]) => [host, { endpoints }]),
    ),
  };
}

const formerRegistry = [
  "k8s.gcr.io",
  ["https://registry.k8s.io", "https://k8s.gcr.io"],
] as const;

function features(contract: Contract): Plain {
  return {
    rbac: contract.rbac || undefined,
    stableHostname: contract.stableHostname || undefined,
    apidCheckExtKeyUsage: contract.keyUsageChecked || undefined,
    diskQuotaSupport: contract.diskQuota || undefined,
    kubePrism: contract.kubePrism ? { enabled: true, port: 7445 } : undefined,
    hostDNS: contract.hostDns
      ? {
        enabled: true,
        forwardKubeDNSToHost: contract.hostDnsForwarding || undefined,
      }
      : undefined,
  };
}

/** Makes `cluster`. */
export function clusterSection(spec: ClusterSpec, role: MachineRole): Plain {
  const { clusterName, contract, endpoint, secrets } = spec;
  const isWorker = role === "worker";
  const { k8s } = secrets.certs;
  return {
    id: secrets.cluster.id,
    secret: secrets.cluster.secret,
    controlPlane: { endpoint },
    clusterName: isWorker && !contract.workerClusterName
      ? undefined
      : clusterName,
    network: {
      dnsDomain: spec.dnsDomain ?? "cluster.local",
      podSubnets: ["10.244.0.0/16"],
      serviceSubnets: ["10.96.0.0/12"],
    },
    token: secrets.secrets.bootstrapToken,
    ca: isWorker ? { crt: k8s.crt, key: "" } : { ...k8s },
    discovery: discovery(spec),
    ...(isWorker ? {} : controlPlane(spec)),
  };
}

function discovery({ contract, discovery = true }: ClusterSpec): Plain {
  const disabled = contract.kubernetesRegistryDisabled || undefined;
  return { enabled: discovery, registries: { kubernetes: { disabled } } };
}

function controlPlane(
  spec: ClusterSpec,
): { readonly [key: string]: Plain | undefined } {
  const { secrets: { secrets, certs }, kubernetesVersion } = spec;
  return {
    aescbcEncryptionSecret: secrets.aescbcEncryptionSecret,
    secretboxEncryptionSecret: secrets.secretboxEncryptionSecret,
    aggregatorCA: { ...certs.k8sAggregator },
    serviceAccount: { ...certs.k8sServiceAccount },
    apiServer: apiServer(spec),
    controllerManager: {
      image: imageOf("controllerManager", kubernetesVersion),
    },
    proxy: { image: imageOf("proxy", kubernetesVersion) },
    scheduler: { image: imageOf("scheduler", kubernetesVersion) },
    etcd: { ca: { ...certs.etcd } },
    // Written only where there are comments.
    extraManifests: [],
    inlineManifests: [],
  };
}

function apiServer(spec: ClusterSpec): Plain {
  const { contract, endpoint, kubernetesVersion, sans = [] } = spec;
  const host = parseUrl(endpoint)?.host ?? "";
  return {
    image: imageOf("apiServer", kubernetesVersion),
    certSANs: contract.endpointInSans ? [host, ...sans] : sans,
    disablePodSecurityPolicy: contract.podSecurityPolicyDisabled ||
      undefined,
    admissionControl: contract.podSecurity ? [podSecurity] : undefined,
    auditPolicy: contract.auditPolicy ? auditPolicy : undefined,
  };
}

const podSecurity: Plain = {
  name: "PodSecurity",
  configuration: {
    apiVersion: "pod-security.admission.config.k8s.io/v1alpha1",
    kind: "PodSecurityConfiguration",
    defaults: {
      audit: "restricted",
      "audit-version": "latest",
      enforce: "baseline",
      "enforce-version": "latest",
      warn: "restricted",
      "warn-version": "latest",
    },
    exemptions: {
      namespaces: ["kube-system"],
      runtimeClasses: [],
      usernames: [],
    },
  },
};

const auditPolicy: Plain = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  rules: [{ level: "Metadata" }],
};

/** Parts of Kubernetes that have an image of their own. */
export type KubernetesPart =
  | "kubelet"
  | "apiServer"
  | "controllerManager"
  | "scheduler"
  | "proxy";

/**
 * Name of an image.
 *
 * @param version Kubernetes, without `v`; empty when the node is to choose.
 * @returns `undefined` when the node is to choose.
 */
export function imageOf(
  part: KubernetesPart,
  version: string = defaultKubernetes,
): string | undefined {
  return version === "" ? undefined : `${defaultImages[part]}:v${version}`;
}

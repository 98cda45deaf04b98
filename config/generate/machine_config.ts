/** Generates machine configurations for the nodes of a cluster. */

import { findRelease } from "../releases.ts";
import { type ConfigDocument, identify } from "../documents/load.ts";
import { parseUrl } from "../documents/checks.ts";
import { type Plain, toTree } from "../tree/node.ts";
import type { Contract } from "./contract.ts";
import type { ClusterSpec, GeneratedRole } from "./machine_options.ts";
import {
  auditPolicy,
  balancerLabel,
  document,
  findImage,
  kubernetesDocuments,
  podSecurity,
  systemDocuments,
} from "./split_documents.ts";

/**
 * Generates the configuration for one role. Deterministic for the same spec. Returns the main
 * document first, in the form for `encodeDocuments`.
 */
export function machineConfig(
  spec: ClusterSpec,
  role: GeneratedRole,
): readonly ConfigDocument[] {
  const made = [mainDocument(spec, role), ...furtherDocuments(spec, role)];
  return [
    ...made.map((value, index) => toDocument(value, index + 1)),
    ...(spec.documents ?? []).map((document, index) => ({
      ...document,
      number: made.length + index + 1,
    })),
  ];
}

function mainDocument(spec: ClusterSpec, role: GeneratedRole): Plain {
  return {
    version: "v1alpha1",
    debug: false,
    persist: spec.persist ?? true,
    machine: machineSection(spec, role),
    cluster: clusterSection(spec, role),
  };
}

/** Documents for settings that older versions have in the main document. */
function furtherDocuments(
  spec: ClusterSpec,
  role: GeneratedRole,
): readonly Plain[] {
  const { contract, registryMirrors = new Map(), kubernetes = true } = spec;
  const { split, kubespanDocument } = contract;
  const mirrors = contract.mirrorDocuments ? [...registryMirrors] : [];
  return [
    ...(split ? systemDocuments(spec) : []),
    ...mirrors.toSorted(byHost).map(([name, urls]) =>
      document("RegistryMirrorConfig", {
        name,
        endpoints: urls.map((url: string) => ({ url })),
      })
    ),
    ...(contract.hostnameDocument
      ? [document("HostnameConfig", { auto: "stable" })]
      : []),
    ...(spec.kubespan && kubespanDocument
      ? [document("KubeSpanConfig", { enabled: true })]
      : []),
    ...(split && kubernetes ? kubernetesDocuments(spec, role) : []),
  ];
}

type Mirror = readonly [host: string, urls: readonly string[]];

function byHost([a]: Mirror, [b]: Mirror): number {
  return a < b ? -1 : 1;
}

function toDocument(value: Plain, number: number): ConfigDocument {
  const document = identify(toTree(value), number);
  if (!("message" in document)) return document;
  throw new TypeError(document.message);
}

/** Creates the `machine` section. */
export function machineSection(spec: ClusterSpec, role: GeneratedRole): Plain {
  const { contract, secrets } = spec;
  const isWorker = role === "worker";
  const { os } = secrets.certs;
  return {
    type: role,
    token: secrets.trustdInfo.token,
    ca: isWorker ? { crt: os.crt, key: "" } : { ...os },
    certSANs: spec.sans ?? [],
    kubelet: contract.split ? undefined : kubelet(spec),
    network: networkSection(spec),
    install: contract.split ? undefined : install(spec),
    registries: registries(spec),
    features: features(contract),
    nodeLabels: contract.balancerLabel && !isWorker && !contract.split
      ? { [balancerLabel]: "" }
      : undefined,
  };
}

function networkSection(
  { contract, kubespan }: ClusterSpec,
): Plain | undefined {
  if (contract.kubespanDocument) return undefined;
  return kubespan ? { kubespan: { enabled: true } } : {};
}

function kubelet({ contract, kubernetesVersion }: ClusterSpec): Plain {
  return {
    image: findImage("kubelet", kubernetesVersion, contract),
    defaultRuntimeSeccompProfileEnabled: contract.seccompProfile || undefined,
    disableManifestsDirectory: contract.manifestsDirectoryDisabled || undefined,
  };
}

function install(
  {
    contract,
    installDisk = "/dev/sda",
    installImage = findRelease(contract.version).installer,
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
    kubePrism: contract.kubePrism && !contract.split
      ? { enabled: true, port: 7445 }
      : undefined,
    hostDNS: contract.hostDns
      ? {
        enabled: true,
        forwardKubeDNSToHost: contract.hostDnsForwarding || undefined,
      }
      : undefined,
  };
}

/** Creates the `cluster` section. */
export function clusterSection(spec: ClusterSpec, role: GeneratedRole): Plain {
  const { clusterName, contract, endpoint, secrets } = spec;
  const isWorker = role === "worker";
  if (spec.kubernetes === false) return {};
  if (contract.split) {
    return {
      token: secrets.secrets.bootstrapToken,
      ...(isWorker ? {} : {
        etcd: { ca: { ...secrets.certs.etcd } },
        extraManifests: [],
        inlineManifests: [],
      }),
    };
  }
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
  const { secrets: { secrets, certs }, kubernetesVersion, contract } = spec;
  return {
    aescbcEncryptionSecret: secrets.aescbcEncryptionSecret,
    secretboxEncryptionSecret: secrets.secretboxEncryptionSecret,
    aggregatorCA: { ...certs.k8sAggregator },
    serviceAccount: { ...certs.k8sServiceAccount },
    apiServer: apiServer(spec),
    controllerManager: {
      image: findImage("controllerManager", kubernetesVersion, contract),
    },
    proxy: { image: findImage("proxy", kubernetesVersion, contract) },
    scheduler: { image: findImage("scheduler", kubernetesVersion, contract) },
    etcd: { ca: { ...certs.etcd } },
    // Only written with comments.
    extraManifests: [],
    inlineManifests: [],
  };
}

function apiServer(spec: ClusterSpec): Plain {
  const { contract, endpoint, kubernetesVersion, sans = [] } = spec;
  const host = parseUrl(endpoint)?.host ?? "";
  return {
    image: findImage("apiServer", kubernetesVersion, contract),
    certSANs: contract.endpointInSans ? [host, ...sans] : sans,
    disablePodSecurityPolicy: contract.podSecurityPolicyDisabled ||
      undefined,
    admissionControl: contract.podSecurity ? [podSecurity] : undefined,
    auditPolicy: contract.auditPolicy ? auditPolicy : undefined,
  };
}

/** `cluster` of new configurations. */

import { parseUrl } from "../documents/url.ts";
import type { Plain } from "../tree/node.ts";
import { imageOf } from "./image.ts";
import type { ClusterSpec, MachineRole } from "./machine_options.ts";

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

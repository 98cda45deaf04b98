/** Separate documents of configurations since 1.14. */

import { discoveryEndpoint } from "../../talos.ts";
import { defaultImages } from "../images.ts";
import { findRelease } from "../releases.ts";
import type { Plain } from "../tree/node.ts";
import type { Contract } from "./contract.ts";
import type { ClusterSpec, GeneratedRole } from "./machine_options.ts";

/** Creates a document. */
export function document(
  kind: string,
  rest: { readonly [key: string]: Plain | undefined },
): Plain {
  return { apiVersion: "v1alpha1", kind, ...rest };
}

/** Creates documents about the node, in the order of generated files. */
export function systemDocuments(spec: ClusterSpec): readonly Plain[] {
  const { secrets: { cluster }, contract, discovery = true } = spec;
  const { installDisk = "/dev/sda", installImage } = spec;
  const image = installImage ?? findRelease(contract.version).installer;
  return [
    ...(discovery
      ? [document("DiscoveryServiceConfig", {
        name: "default",
        endpoint: discoveryEndpoint,
      })]
      : []),
    document("DiscoveryIdentityConfig", {
      clusterID: cluster.id,
      clusterSecret: cluster.secret,
    }),
    ...(installDisk === "" ? [] : [document("UnattendedInstallConfig", {
      installer: { image },
      provisioning: {
        diskSelector: {
          match: `disk.dev_path == ${JSON.stringify(installDisk)}`,
        },
        wipe: false,
      },
    })]),
    document("ResolverConfig", {
      hostDNS: { enabled: true, forwardKubeDNSToHost: true },
    }),
    document("VolumeConfig", { name: "EPHEMERAL", mount: { secure: true } }),
    document("FilesystemTrimConfig", { interval: "168h0m0s" }),
    document("SecurityProfileConfig", { workloadIsolation: true }),
  ];
}

const roleLabel = "node-role.kubernetes.io/control-plane";

/** Creates documents about Kubernetes, in the order of generated files. */
export function kubernetesDocuments(
  spec: ClusterSpec,
  role: GeneratedRole,
): readonly Plain[] {
  const isWorker = role === "worker";
  const { clusterName, endpoint, secrets: { certs }, dnsDomain } = spec;
  const crt = decodePem(certs.k8s.crt);
  return [
    document("KubeClusterConfig", { clusterName, endpoint }),
    document("KubeNodeConfig", {
      nodeIP: {},
      ...(isWorker ? {} : {
        labels: { [roleLabel]: "", [balancerLabel]: "" },
        taints: { [roleLabel]: "NoSchedule" },
      }),
    }),
    document("KubeletConfig", {
      image: image("kubelet", spec),
      config: {},
      defaultRuntimeSeccompProfileEnabled: true,
    }),
    document("KubeNetworkConfig", {
      dnsDomain: dnsDomain ?? "cluster.local",
      podSubnets: ["10.244.0.0/16"],
      serviceSubnets: ["10.96.0.0/12"],
    }),
    document(
      "KubeAPIServerCAConfig",
      isWorker
        ? { acceptedCAs: [crt] }
        : { issuingCA: { cert: crt, key: decodePem(certs.k8s.key) } },
    ),
    document("KubePrismConfig", { port: 7445 }),
    ...(isWorker ? [] : controlPlane(spec)),
  ];
}

function controlPlane(spec: ClusterSpec): readonly Plain[] {
  const { endpoint, secrets: { certs }, sans = [] } = spec;
  const { k8sAggregator, k8sServiceAccount } = certs;
  return [
    document("KubeAggregatorCAConfig", {
      issuingCA: {
        cert: decodePem(k8sAggregator.crt),
        key: decodePem(k8sAggregator.key),
      },
    }),
    document("KubeAdmissionControlConfig", {
      name: "PodSecurity",
      configuration: readConfiguration(podSecurity),
    }),
    document("KubeAuditPolicyConfig", { configuration: auditPolicy }),
    document("KubeAuthenticationConfig", {
      configuration: {
        anonymous: {
          conditions: ["/livez", "/readyz", "/healthz"].map((path) => ({
            path,
          })),
          enabled: true,
        },
        jwt: [],
      },
    }),
    document("KubeAuthorizerConfig", { name: "node", type: "Node" }),
    document("KubeAuthorizerConfig", { name: "rbac", type: "RBAC" }),
    document("KubeEtcdEncryptionConfig", { config: encryption(spec) }),
    document("KubeServiceAccountConfig", {
      issuer: {
        privateKey: decodePem(k8sServiceAccount.key),
        issuerURL: endpoint,
      },
    }),
    document("KubeAPIServerConfig", {
      image: image("apiServer", spec),
      certExtraSANs: sans,
    }),
    document("KubeControllerManagerConfig", {
      image: image("controllerManager", spec),
    }),
    document("KubeSchedulerConfig", { image: image("scheduler", spec) }),
    document("KubeProxyConfig", { image: image("proxy", spec) }),
    document("KubeFlannelCNIConfig", {
      backendType: "vxlan",
      backendPort: 4789,
    }),
    document("KubeCoreDNSConfig", { enabled: true }),
  ];
}

/** Nodes of these versions do not choose an image by themselves. */
function image(
  part: KubernetesPart,
  { kubernetesVersion, contract }: ClusterSpec,
): string {
  return findImage(part, kubernetesVersion || undefined, contract) ?? "";
}

function readConfiguration(plugin: Plain): Plain {
  return Object(plugin).configuration;
}

/** Key names and provider order match those of older nodes, for data already in etcd. */
function encryption({ secrets: { secrets } }: ClusterSpec): Plain {
  const keys = {
    secretbox: { name: "key2", secret: secrets.secretboxEncryptionSecret },
    aescbc: { name: "key1", secret: secrets.aescbcEncryptionSecret },
  };
  const providers = Object.entries(keys)
    .filter(([, { secret }]) => secret !== undefined)
    .map(([name, key]) => ({ [name]: { keys: [key] } }));
  return { resources: [{ providers, resources: ["secrets"] }] };
}

function decodePem(encoded: string): string {
  return new TextDecoder().decode(Uint8Array.fromBase64(encoded));
}

/** Excludes a node from external load balancers. */
export const balancerLabel =
  "node.kubernetes.io/exclude-from-external-load-balancers";

/** Default pod security admission of new clusters. */
export const podSecurity: Plain = {
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

/** Default audit policy of new clusters. */
export const auditPolicy: Plain = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  rules: [{ level: "Metadata" }],
};

/** Kubernetes components with their own image. */
type KubernetesPart =
  | "kubelet"
  | "apiServer"
  | "controllerManager"
  | "scheduler"
  | "proxy";

/**
 * Image reference.
 *
 * @param version Kubernetes, without `v`; empty to let the node choose; default that of the contract's release.
 * @returns `undefined` to let the node choose.
 */
export function findImage(
  part: KubernetesPart,
  version: string | undefined,
  contract: Contract,
): string | undefined {
  const { kubernetes } = findRelease(contract.version);
  return version === ""
    ? undefined
    : `${defaultImages[part]}:v${version ?? kubernetes}`;
}

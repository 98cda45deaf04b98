/** `machine` of new configurations. */

import { defaultImages } from "../default_images.ts";
import type { Plain } from "../tree/node.ts";
import type { ContractFeatures } from "./contract.ts";
import { imageOf } from "./image.ts";
import type { ClusterSpec, MachineRole } from "./machine_options.ts";

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

function features(contract: ContractFeatures): Plain {
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

import type { ClusterSpec } from "../../../config/generate/machine_options.ts";
import type { Contract } from "../../../config/generate/contract.ts";
import type { SecretsBundle } from "../../../config/generate/secrets.ts";

/** Secrets that can be known apart, none of which is one; base64 of `os-crt` and so on. */
export function legibleSecrets(contract: Contract): SecretsBundle {
  return {
    cluster: { id: "cluster-id", secret: btoa("cluster-secret") },
    secrets: {
      bootstrapToken: "aaaaaa.bbbbbbbbbbbbbbbb",
      ...(contract.secretbox
        ? { secretboxEncryptionSecret: btoa("secretbox") }
        : { aescbcEncryptionSecret: btoa("aescbc") }),
    },
    trustdInfo: { token: "cccccc.dddddddddddddddd" },
    certs: {
      etcd: pair("etcd"),
      k8s: pair("k8s"),
      k8sAggregator: pair("aggregator"),
      k8sServiceAccount: { key: btoa("service-account-key") },
      os: pair("os"),
    },
  };
}

function pair(name: string) {
  return { crt: btoa(`${name}-crt`), key: btoa(`${name}-key`) };
}

/** Images in the expected configurations that are not the defaults of a version. */
export function imagesFor(
  version: string,
): Pick<ClusterSpec, "kubernetesVersion" | "installImage"> {
  if (version === "v1.13" || version === "v1.14") return {};
  return {
    kubernetesVersion: "1.34.1",
    installImage: "ghcr.io/siderolabs/installer:v1.12.11",
  };
}

/** Versions of the operating system, and what configurations for each of them look like. */

import { parseMinor } from "../../lib/version.ts";
import { ConfigError } from "../../errors.ts";
import type { OsVersion } from "../documents/schema.ts";

/**
 * What configurations have, and the minor versions of which it holds, first and last; without the
 * last it holds from then on.
 */
const spans = {
  /** The API server's admission control enforces pod security. */
  podSecurity: [1],
  /** The API server is asked to do without pod security policies. */
  podSecurityPolicyDisabled: [0, 11],
  /** `machine.kubelet.defaultRuntimeSeccompProfileEnabled`. */
  seccompProfile: [2],
  /** `machine.kubelet.disableManifestsDirectory`. */
  manifestsDirectoryDisabled: [3],
  /** `machine.features.rbac`. */
  rbac: [0, 11],
  /** `machine.features.stableHostname`. */
  stableHostname: [2, 11],
  /** A document `HostnameConfig` takes the place of `stableHostname`. */
  hostnameDocument: [12],
  /** `machine.features.apidCheckExtKeyUsage`. */
  keyUsageChecked: [3, 11],
  /** `machine.features.diskQuotaSupport`. */
  diskQuota: [5],
  /** `machine.features.kubePrism`. */
  kubePrism: [6],
  /** `machine.features.hostDNS`. */
  hostDns: [7, 13],
  /** `machine.features.hostDNS.forwardKubeDNSToHost`. */
  hostDnsForwarding: [8],
  /** `machine.install.grubUseUKICmdline`. */
  ukiCommandLine: [12],
  /** Control planes carry the label that keeps external load balancers away. */
  balancerLabel: [8],
  /** Workers are told the name of the cluster. */
  workerClusterName: [8],
  /** The registry of cluster members in Kubernetes is switched off. */
  kubernetesRegistryDisabled: [2],
  /** The former registry of Kubernetes has its successor as mirror. */
  formerRegistryMirrored: [2, 2],
  /** A document `KubeSpanConfig` takes the place of `machine.network.kubespan`. */
  kubespanDocument: [13],
  /** Most of the main document, and all of Kubernetes, is in documents of its own. */
  split: [14],
  /** Texts that only YAML 1.1 reads as something else, such as `off`, are in single quotes. */
  singleQuotes: [14],
  /** Mirrors of registries have documents of their own. */
  mirrorDocuments: [12],
  /** The API server writes an audit log. */
  auditPolicy: [3],
  /** The API server's certificate names the host of the endpoint. */
  endpointInSans: [0, 11],
  /** Kubernetes encrypts its secrets with secretbox, before with AES-CBC. */
  secretbox: [3],
  /** Service accounts are signed for with an RSA key of 4096 bits, before with a P-256 key. */
  rsaServiceAccount: [7],
} as const satisfies Record<string, readonly [first: number, last?: number]>;

/** A version of the operating system as far as configurations differ by it. */
export interface Contract
  extends Readonly<Record<keyof typeof spans, boolean>> {
  /** `v1.12`. */
  readonly version: string;
}

const newestMinor = 14;

/** The newest version known. */
export const newestContract: Contract = findContract(newestMinor);

/** Version of the usual release, which counts when none is named. */
export const defaultContract: Contract = findContract(12);

/**
 * Reads the version that configurations are for; patch level and what follows it do not matter.
 *
 * @param text `v1.8`, `1.12.3`.
 * @throws {ConfigError} If it is not a version, older than v1.0, or newer than the newest known.
 */
export function parseContract(text: string): Contract {
  const version = parseMinor(text);
  if (version === undefined) {
    throw new ConfigError(`Cannot read OS version "${text}"`, {
      hint: `Give it as ${defaultContract.version} or v1.8.3`,
    });
  }
  if (version.major < 1) {
    throw new ConfigError(`OS version "${text}" is not supported`, {
      hint: `Versions from v1.0 to ${newestContract.version} are`,
    });
  }
  if (version.major > 1 || version.minor > newestMinor) {
    throw new ConfigError(
      `OS version "${text}" is not known to this osctl: the newest known is ${newestContract.version}`,
      {
        hint: `Use ${newestContract.version}, or a newer osctl`,
      },
    );
  }
  return findContract(version.minor);
}

/** The version of a contract as descriptions of documents have it. */
export function toOsVersion({ version }: Contract): OsVersion {
  // A "v" and two numbers.
  return version.slice(1) as OsVersion;
}

function findContract(minor: number): Contract {
  const features = Object.entries(spans).map(
    ([name, [first, last = Infinity]]: [string, readonly number[]]) =>
      [name, minor >= (first ?? 0) && minor <= last] as const,
  );
  return {
    version: `v1.${minor}`,
    ...Object.fromEntries(features),
  } as Contract;
}

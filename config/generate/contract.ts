/** OS versions, and the configuration features of each. */

import { parseMinor } from "../../lib/version.ts";
import { ConfigError } from "../../errors.ts";
import type { OsVersion } from "../documents/schema.ts";

/** Configuration features with their first and last minor versions; without a last one, the feature still exists. */
const spans = {
  /** The API server's admission control enforces pod security. */
  podSecurity: [1],
  /** The API server disables pod security policies. */
  podSecurityPolicyDisabled: [0, 11],
  /** `machine.kubelet.defaultRuntimeSeccompProfileEnabled`. */
  seccompProfile: [2],
  /** `machine.kubelet.disableManifestsDirectory`. */
  manifestsDirectoryDisabled: [3],
  /** `machine.features.rbac`. */
  rbac: [0, 11],
  /** `machine.features.stableHostname`. */
  stableHostname: [2, 11],
  /** A document `HostnameConfig` replaces `stableHostname`. */
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
  /** Control planes have the label that excludes them from external load balancers. */
  balancerLabel: [8],
  workerClusterName: [8],
  kubernetesRegistryDisabled: [2],
  /** The former Kubernetes registry is mirrored by its successor. */
  formerRegistryMirrored: [2, 2],
  /** A document `KubeSpanConfig` replaces `machine.network.kubespan`. */
  kubespanDocument: [13],
  /** Most of the main document, and all Kubernetes settings, are separate documents. */
  split: [14],
  /** Texts that only YAML 1.1 reads as another type, such as `off`, have single quotes. */
  singleQuotes: [14],
  /** Registry mirrors are separate documents. */
  mirrorDocuments: [12],
  /** The API server writes an audit log. */
  auditPolicy: [3],
  /** The API server's certificate names the host of the endpoint. */
  endpointInSans: [0, 11],
  /** Kubernetes encrypts its secrets with secretbox; earlier versions use AES-CBC. */
  secretbox: [3],
  /** Service account tokens are signed with an RSA key of 4096 bits; earlier versions use P-256. */
  rsaServiceAccount: [7],
} as const satisfies Record<string, readonly [first: number, last?: number]>;

/** An OS version with its configuration features. */
export interface Contract
  extends Readonly<Record<keyof typeof spans, boolean>> {
  /** `v1.12`. */
  readonly version: string;
}

const newestMinor = 14;

/** The newest version known. */
export const newestContract: Contract = findContract(newestMinor);

/** Default release. */
export const defaultContract: Contract = findContract(12);

/**
 * Parses the OS version of a configuration; patch level and suffix are ignored.
 *
 * @param text `v1.8`, `1.12.3`.
 * @throws {ConfigError} If it is not a version, older than v1.0, or newer than the newest known one.
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

/** Version of a contract in the form of document descriptions. */
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

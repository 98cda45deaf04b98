/** Versions of the operating system, and what configurations for each of them look like. */

import { ConfigError } from "../../errors.ts";
import type { OsVersion } from "../documents/schema.ts";

/** What configurations for one version have; all of it decided by the minor version. */
export interface ContractFeatures {
  /** The API server's admission control enforces pod security. */
  readonly podSecurity: boolean;
  /** The API server is told to do without pod security policies. */
  readonly podSecurityPolicyDisabled: boolean;
  /** `machine.kubelet.defaultRuntimeSeccompProfileEnabled`. */
  readonly seccompProfile: boolean;
  /** `machine.kubelet.disableManifestsDirectory`. */
  readonly manifestsDirectoryDisabled: boolean;
  /** `machine.features.rbac`. */
  readonly rbac: boolean;
  /** `machine.features.stableHostname`. */
  readonly stableHostname: boolean;
  /** A document `HostnameConfig` takes the place of {@linkcode stableHostname}. */
  readonly hostnameDocument: boolean;
  /** `machine.features.apidCheckExtKeyUsage`. */
  readonly keyUsageChecked: boolean;
  /** `machine.features.diskQuotaSupport`. */
  readonly diskQuota: boolean;
  /** `machine.features.kubePrism`. */
  readonly kubePrism: boolean;
  /** `machine.features.hostDNS`. */
  readonly hostDns: boolean;
  /** `machine.features.hostDNS.forwardKubeDNSToHost`. */
  readonly hostDnsForwarding: boolean;
  /** `machine.install.grubUseUKICmdline`. */
  readonly ukiCommandLine: boolean;
  /** Control planes carry the label that keeps external load balancers away. */
  readonly balancerLabel: boolean;
  /** Workers are told the name of the cluster. */
  readonly workerClusterName: boolean;
  /** The registry of cluster members in Kubernetes is switched off. */
  readonly kubernetesRegistryDisabled: boolean;
  /** The former registry of Kubernetes has its successor as mirror. */
  readonly formerRegistryMirrored: boolean;
  /** Mirrors of registries have documents of their own. */
  readonly mirrorDocuments: boolean;
  /** The API server writes an audit log. */
  readonly auditPolicy: boolean;
  /** The API server's certificate names the host of the endpoint. */
  readonly endpointInSans: boolean;
  /** Kubernetes encrypts its secrets with secretbox, before with AES-CBC. */
  readonly secretbox: boolean;
  /** Service accounts are signed for with an RSA key of 4096 bits, before with a P-256 key. */
  readonly rsaServiceAccount: boolean;
}

/** A version of the operating system as far as configurations differ by it. */
export interface Contract extends ContractFeatures {
  /** `v1.12`. */
  readonly version: string;
}

/** Minor versions of which something holds, first and last; without the last it holds from then on. */
type Span = readonly [first: number, last?: number];

const spans: Readonly<Record<keyof ContractFeatures, Span>> = {
  podSecurity: [1],
  podSecurityPolicyDisabled: [0, 11],
  seccompProfile: [2],
  manifestsDirectoryDisabled: [3],
  rbac: [0, 11],
  stableHostname: [2, 11],
  hostnameDocument: [12],
  keyUsageChecked: [3, 11],
  diskQuota: [5],
  kubePrism: [6],
  hostDns: [7],
  hostDnsForwarding: [8],
  ukiCommandLine: [12],
  balancerLabel: [8],
  workerClusterName: [8],
  kubernetesRegistryDisabled: [2],
  formerRegistryMirrored: [2, 2],
  mirrorDocuments: [12],
  auditPolicy: [3],
  endpointInSans: [0, 11],
  secretbox: [3],
  rsaServiceAccount: [7],
};

const newestMinor = 12;

/** The newest version known, which is the default. */
export const newestContract: Contract = contractOf(newestMinor);

/**
 * Reads the version somebody wants configurations for; patch level and what follows it do not matter.
 *
 * @param text `v1.8`, `1.12.3`.
 * @throws {ConfigError} If it is no version, older than v1.0, or newer than the newest known.
 */
export function parseContract(text: string): Contract {
  const [, major, minor] = /^v?(\d+)\.(\d+)(?:$|\.)/.exec(text) ?? [];
  if (major === undefined || minor === undefined) {
    throw new ConfigError(`Cannot read OS version "${text}"`, {
      hint: `Give it as ${newestContract.version} or v1.8.3`,
    });
  }
  if (Number(major) < 1) {
    throw new ConfigError(`OS version "${text}" is not supported`, {
      hint: `Versions from v1.0 to ${newestContract.version} are`,
    });
  }
  if (Number(major) > 1 || Number(minor) > newestMinor) {
    throw new ConfigError(
      `OS version "${text}" is an unknown future version: the newest known is ${newestContract.version}`,
      {
        hint:
          `Use ${newestContract.version}, or an osctl that knows the version`,
      },
    );
  }
  return contractOf(Number(minor));
}

/** The version of a contract as descriptions of documents have it. */
export function osVersionOf({ version }: Contract): OsVersion {
  // A "v" and two numbers.
  return version.slice(1) as OsVersion;
}

function contractOf(minor: number): Contract {
  const holds = ([first, last = Infinity]: Span) =>
    minor >= first && minor <= last;
  const features = Object.entries(spans).map(([name, span]) => [
    name,
    holds(span),
  ]);
  return { version: `v1.${minor}`, ...Object.fromEntries(features) };
}

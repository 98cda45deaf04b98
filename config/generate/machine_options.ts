import { ConfigError } from "../../errors.ts";
import { parseUrl } from "../documents/checks.ts";
import { addressFamily } from "../../lib/ip.ts";
import type { ConfigDocument } from "../documents/load.ts";
import type { Contract } from "./contract.ts";
import type { SecretsBundle } from "./secrets.ts";

/** Role of a node in its cluster; `init` is a control plane that bootstraps the cluster by itself. */
export type GeneratedRole = "init" | "controlplane" | "worker";

/** Mirror URLs by registry host. */
export type RegistryMirrors = ReadonlyMap<string, readonly string[]>;

/** Common settings of the configurations of a cluster. */
export interface ClusterSpec {
  readonly clusterName: string;
  /** URL of the API servers for nodes and users, as accepted by `parseEndpoint`. */
  readonly endpoint: string;
  /** OS version of the configurations. */
  readonly contract: Contract;
  /** Keys, certificates and tokens, as for a control plane. */
  readonly secrets: SecretsBundle;
  /** Kubernetes version without `v`; empty to let the node choose images. Default that of the contract's release. */
  readonly kubernetesVersion?: string;
  /** Install disk; empty for none. Default `/dev/sda`. */
  readonly installDisk?: string;
  /** Installer image; empty for none. Default that of the contract's release. */
  readonly installImage?: string;
  /** Names and addresses for certificates, besides those of the nodes. Default none. */
  readonly sans?: readonly string[];
  /** Domain of services in the cluster. Default `cluster.local`. */
  readonly dnsDomain?: string;
  /** True if nodes keep the configuration on disk. Default true. */
  readonly persist?: boolean;
  /** True to use the discovery service. Default true. */
  readonly discovery?: boolean;
  /** False to leave out etcd and Kubernetes, from v1.14 on. Default true. */
  readonly kubernetes?: boolean;
  /** True to enable KubeSpan. Default false. */
  readonly kubespan?: boolean;
  /** Default none. */
  readonly registryMirrors?: RegistryMirrors;
  /** Documents appended to the generated ones. Default none. */
  readonly documents?: readonly ConfigDocument[];
}

/**
 * Checks the endpoint of a cluster.
 *
 * @param text `https://`, a name or address (IPv6 in brackets), optionally with a port and a path.
 * @returns The text, unchanged.
 * @throws {ConfigError} With the error and a suggested URL.
 */
export function parseEndpoint(text: string): string {
  const fault = findFault(text);
  if (fault === undefined) return text;
  const near = probable(text);
  throw new ConfigError(`Cannot use cluster endpoint "${text}": ${fault}`, {
    hint: findFault(near) === undefined
      ? `Try "${near}"`
      : `Give it as https://10.0.0.1:${defaultPort}`,
  });
}

function findFault(text: string): string | undefined {
  if (!/^[^:/?#]+:\/\//.test(text)) return "it has no scheme";
  const url = parseUrl(text);
  if (url === undefined) return "it is not a URL";
  if (url.scheme !== "https") return `its scheme is ${url.scheme}, not https`;
  if (url.host === "") return "it has no host";
  const port = Number(url.port || 1);
  if (port < 1 || port > 65535) return "its port is not between 1 and 65535";
}

const defaultPort = 6443;

/** Suggested fix; keeps valid parts as given. */
function probable(text: string): string {
  const bare = text.replace(/^[A-Za-z]+:\/+/, "");
  const [, place = "", rest = ""] = /^([^/?#]*)(.*)$/s.exec(bare) ?? [];
  return `https://${locateOption(place.replace(/^.*@/, ""))}${rest}`;
}

function locateOption(text: string): string {
  const [, address = "", end = ""] = /^(.*):(\d{4,5})$/.exec(text) ?? [];
  if (addressFamily(address) === 6) return `[${address}]:${end}`;
  if (addressFamily(text) === 6) return `[${text}]:${defaultPort}`;
  const [, host = "", port = ""] = /^(\[.*\]|.*?)(?::([^:]*))?$/.exec(text) ??
    [];
  const isPort = Number(port) >= 1 && Number(port) <= 65535;
  return `${host}:${isPort ? port : defaultPort}`;
}

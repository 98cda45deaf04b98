/** Values of flags that configurations are made from. */

import { parseEndpoint } from "../../../config/generate/machine_options.ts";
import { ConfigError, UsageError } from "../../../errors.ts";

/** Registry mirrors by host. Throws UsageError when one is none. */
export function mirrorsOf(
  values: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const mirrors = new Map<string, readonly string[]>();
  for (const value of values) {
    const [, host, url] = /^([^=\s]+)=(https?:\/\/[^\s/].*)$/.exec(value) ?? [];
    if (host === undefined || url === undefined) {
      throw new UsageError(
        `Invalid value "${value}" for --registry-mirror: must be <registry host>=<mirror URL>, such as docker.io=https://mirror.example.org`,
      );
    }
    mirrors.set(host, [...mirrors.get(host) ?? [], url]);
  }
  return mirrors;
}

/** Checks a URL of the Kubernetes API. Throws ConfigError when it is none. */
export function kubernetesUrl(host: string, port: number): string {
  const bracketed = host.includes(":") ? `[${host}]` : host;
  return parseEndpoint(`https://${bracketed}:${port}`);
}

/** Refuses a version of Kubernetes that is none. */
export function kubernetesOf(version: string | undefined): string | undefined {
  const bare = version?.replace(/^v/, "");
  if (bare === undefined || /^\d+\.\d+\.\d+([-+][\w.+-]+)?$/.test(bare)) {
    return bare;
  }
  throw new ConfigError(`Invalid value "${version}" for --kubernetes-version`, {
    hint: "Give a version such as 1.34.1",
  });
}

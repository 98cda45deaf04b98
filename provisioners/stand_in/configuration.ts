/** What a stand-in node reads of the configuration it was started with. */

import { loadDocuments } from "../../config/documents/load.ts";
import { parseUrl } from "../../config/documents/checks.ts";
import { ConfigError } from "../../errors.ts";
import type { Store } from "../../simulator/cluster/saved_state.ts";
import { mainIn } from "../../simulator/state/node_configuration.ts";
import type { MachineType } from "../../simulator/state/node_identity.ts";

/** What a stand-in node is to be. */
export interface StandInConfiguration {
  readonly text: string;
  readonly cluster: string;
  readonly machineType: MachineType;
  /** Host of the cluster endpoint: the first control plane. */
  readonly leader: string;
  /** Token by which nodes of one cluster know one another. */
  readonly token: string;
  /** Version of Kubernetes, without `v`; `undefined` when the configuration has none. */
  readonly kubernetes: string | undefined;
}

/** Where a stand-in node is, and what it keeps. */
export interface StandInPlace {
  readonly hostname: string;
  readonly address: string;
  readonly store: Store;
  readonly signal: AbortSignal;
}

/**
 * Reads a configuration.
 *
 * @param text One or several YAML documents.
 * @throws {ConfigError} If it is no configuration, or what a node needs is missing.
 */
export function standInConfiguration(text: string): StandInConfiguration {
  const main = mainIn(loadDocuments(text, source).documents);
  const endpoint = main.get("cluster", "controlPlane", "endpoint").text() ?? "";
  const leader = parseUrl(endpoint)?.host;
  const token = main.get("machine", "token").text() ?? "";
  if (!leader || token === "") {
    throw new ConfigError(
      `Cannot use ${source}: it has no ${
        leader ? "machine.token" : "cluster.controlPlane.endpoint"
      }`,
      { hint: "Set it to a machine configuration, encoded as base64" },
    );
  }
  const type = main.get("machine", "type").text();
  const isControlPlane = type === "controlplane" || type === "init";
  const image = main.get("machine", "kubelet", "image").text() ?? "";
  return {
    text,
    cluster: main.get("cluster", "clusterName").text() ?? "stand-in",
    machineType: isControlPlane ? "controlplane" : "worker",
    leader,
    token,
    kubernetes: /:v(\d+\.\d+\.\d+)/.exec(image)?.[1],
  };
}

const source = "USERDATA";

/** Decodes a configuration as nodes in containers get it, in base64. Throws ConfigError if it is something else. */
export function decodeUserdata(userdata: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(userdata));
  } catch (cause) {
    throw new ConfigError(`Cannot use ${source}: it is not base64`, { cause });
  }
}

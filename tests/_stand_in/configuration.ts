/** Configuration of a stand-in node. */

import { loadDocuments } from "../../config/documents/load.ts";
import { parseUrl } from "../../config/documents/checks.ts";
import { ConfigError } from "../../errors.ts";
import type { Store } from "../../simulator/cluster/saved_state.ts";
import { mainIn } from "../../simulator/state/node_configuration.ts";
import type { MachineType } from "../../simulator/state/node_identity.ts";

/** Settings of a stand-in node. */
export interface StandInConfiguration {
  readonly text: string;
  readonly cluster: string;
  readonly machineType: MachineType;
  /** Host of the cluster endpoint: the first control plane. */
  readonly leader: string;
  /** Token shared by the nodes of a cluster. */
  readonly token: string;
  /** Version of Kubernetes, without `v`; `undefined` if not configured. */
  readonly kubernetes: string | undefined;
}

/** Address and storage of a stand-in node. */
export interface StandInPlace {
  readonly hostname: string;
  readonly address: string;
  readonly store: Store;
  readonly signal: AbortSignal;
}

/**
 * Parses a configuration.
 *
 * @param text One or more YAML documents.
 * @throws {ConfigError} If it is not a configuration, or required fields are missing.
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

/** Decodes the base64 configuration of a container node. Throws ConfigError if it is invalid. */
export function decodeUserdata(userdata: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(userdata));
  } catch (cause) {
    throw new ConfigError(`Cannot use ${source}: it is not base64`, { cause });
  }
}

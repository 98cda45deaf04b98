/** Facts of a node before its configuration is changed. */

import { RpcError } from "../../errors.ts";
import { osVersionIn } from "../../config/change/version_support.ts";
import {
  type ConfigDocument,
  loadDocuments,
} from "../../config/documents/load.ts";
import type { OsVersion } from "../../config/documents/schema.ts";
import type { RuntimeMode } from "../../config/rules/context.ts";
import { domain } from "../../talos.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { readMachineConfiguration } from "../../transport/node/machine_configuration.ts";
import { unlessHidden } from "../../transport/node/read_resource.ts";
import { single } from "../../transport/call/reply.ts";
import { parseSpec } from "../../transport/node/resource_yaml.ts";

/** Facts of a node before its configuration is changed. */
export interface ConfigurationFacts {
  readonly node: string;
  /** Running configuration; `undefined` when it has none, or it cannot be read. */
  readonly live: LiveConfiguration | undefined;
  /** Reason why its configuration cannot be read; absent when it has none. */
  readonly hidden?: RpcError;
  /** Running version; `undefined` if the node does not report it. */
  readonly version: OsVersion | undefined;
  /** Platform; `undefined` if the node does not report it. */
  readonly platform: RuntimeMode | undefined;
}

/** A running configuration. */
export interface LiveConfiguration {
  readonly text: string;
  readonly documents: readonly ConfigDocument[];
}

/**
 * Reads the facts of a node; changes nothing.
 *
 * @param options `maintenance` for a node without a configuration.
 * @throws {RpcError} If it does not answer.
 */
export async function readFacts(
  client: NodeClient,
  options: { readonly maintenance: boolean },
): Promise<ConfigurationFacts> {
  let denied: RpcError | undefined;
  const [live, tag, platform] = await Promise.all([
    options.maintenance ? undefined : unlessHidden(
      readMachineConfiguration(client).catch((error) => {
        const isDenied = error instanceof RpcError &&
          error.code === "PERMISSION_DENIED";
        if (isDenied) denied = error;
        throw error;
      }),
    ),
    unlessHidden(
      // Nodes without a configuration never answer this call.
      options.maintenance
        ? readField(client, `Versions.runtime.${domain}`, "version", "version")
        : readVersion(client),
    ),
    unlessHidden(
      readField(
        client,
        `PlatformMetadatas.${domain}`,
        "platformmetadata",
        "platform",
      ),
    ),
  ]);
  return {
    node: client.node,
    live: live === undefined ? undefined : {
      text: live,
      documents:
        loadDocuments(live, `the configuration of ${client.node}`).documents,
    },
    ...denied !== undefined && { hidden: denied },
    version: osVersionIn(tag ?? ""),
    platform: platform === undefined
      ? undefined
      : findMode(platform, live !== undefined),
  };
}

/**
 * Running OS version of a node; `undefined` if the node does not report it.
 *
 * @throws {RpcError} If it does not answer.
 */
export async function readOsVersion(
  client: NodeClient,
): Promise<OsVersion | undefined> {
  return osVersionIn(await unlessHidden(readVersion(client)) ?? "");
}

async function readVersion({ machine }: NodeClient): Promise<string> {
  const { version } = single((await machine.version({})).messages);
  return version?.tag ?? "";
}

async function readField(
  { state }: NodeClient,
  type: string,
  id: string,
  field: string,
): Promise<string> {
  const namespace = "runtime";
  const { resource } = await state.get({ namespace, type, id, options: {} });
  const spec = parseSpec(resource?.spec?.yamlSpec ?? "");
  const value: unknown = Object(spec)[field];
  return typeof value === "string" ? value : "";
}

/** An installed machine needs no install disk, nor does one of the agent. */
function findMode(
  platform: string,
  installed: boolean,
): RuntimeMode | undefined {
  switch (platform) {
    case "":
      return undefined;
    case "metal":
      return installed ? "metal-agent" : "metal";
    case "container":
      return "container";
    default:
      return "cloud";
  }
}

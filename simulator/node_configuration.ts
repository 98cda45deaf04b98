/** What a configuration makes of a simulated node. */

import { staticAddresses } from "../config/change/node_unique.ts";
import { type Cursor, cursorOf } from "../config/documents/cursor.ts";
import {
  type ConfigDocument,
  loadDocuments,
  mainKind,
} from "../config/documents/load.ts";
import { readAuthority } from "../pki/authority.ts";
import type { Authority } from "../pki/certificate.ts";
import { sameBytes } from "../pki/der.ts";
import { decodePemAs, pemLabel } from "../pki/pem.ts";
import { machineConfig } from "./machine_config.ts";
import type { SimulatedNode } from "./node.ts";

/**
 * Gives a node a configuration that stays.
 *
 * @param node The node.
 * @param text YAML that a node of its release accepts.
 */
export async function configure(
  node: SimulatedNode,
  text: string,
): Promise<void> {
  node.configuration = text;
  node.configured = true;
  node.liveConfiguration = undefined;
  await adopt(node);
}

/** Makes of a node what the configuration says that it runs with. */
export async function adopt(node: SimulatedNode): Promise<void> {
  const { origin } = node;
  if (node.liveConfiguration ?? node.configuration) {
    const documents = documentsOf(node);
    const type = machineIn(documents).get("type").text();
    const isWorker = type !== "controlplane" && type !== "init";
    node.identity = {
      ...origin,
      hostname: hostnameIn(documents) ?? origin.hostname,
      address: addressFor(node, documents),
      machineType: isWorker ? "worker" : "controlplane",
    };
  } else node.identity = { ...origin, address: addressFor(node, []) };
  node.authority = await authorityFor(node);
}

/**
 * Finds the authority of the node API a node was told to trust. Control planes
 * have its key in their configuration and issue certificates for workers.
 *
 * @param node A node.
 * @returns `undefined` while there is no control plane with the same authority.
 */
export async function authorityFor(
  node: SimulatedNode,
): Promise<Authority | undefined> {
  const { cluster } = node;
  if (!(node.liveConfiguration ?? node.configuration)) return cluster.authority;
  const machine = machineIn(documentsOf(node));
  const crt = fileIn(machine.get("ca", "crt").text());
  const key = fileIn(machine.get("ca", "key").text());
  if (crt === "") return undefined;
  if (key !== "") return await readAuthority(crt, key);
  const [certificate] = decodePemAs(pemLabel.certificate, crt);
  const known = [cluster, ...cluster.nodes].flatMap(({ authority }) =>
    authority === undefined ? [] : [authority]
  );
  return known.find((one) => sameBytes(one.certificate, certificate));
}

/** Image that a node is to be installed with, if its configuration names one. */
export function installImage(node: SimulatedNode): string | undefined {
  return machineIn(documentsOf(node)).get("install", "image").text();
}

function documentsOf(node: SimulatedNode): readonly ConfigDocument[] {
  return loadDocuments(machineConfig(node), "config.yaml").documents;
}

/** The fault wins over the configuration, and that over what the network says. */
function addressFor(
  { faults, origin: { address } }: SimulatedNode,
  documents: readonly ConfigDocument[],
): string {
  const fault = faults.get("address-moves");
  if (fault) return fault.node ?? neighbour(address);
  return staticAddresses(documents)[0] ?? address;
}

/** An address close by: `10.5.0.103` for `10.5.0.3`. */
function neighbour(address: string): string {
  return address.includes(":")
    ? address.replace(/[0-9a-f]*$/, "fade")
    : address.replace(/\d+$/, (part) => String((Number(part) + 100) % 250));
}

function hostnameIn(
  documents: readonly ConfigDocument[],
): string | undefined {
  const own = documents.find(({ kind }) => kind === "HostnameConfig");
  return (own && cursorOf(own.root).get("hostname").text()) ??
    machineIn(documents).get("network", "hostname").text();
}

function machineIn(documents: readonly ConfigDocument[]): Cursor {
  return mainIn(documents).get("machine");
}

function mainIn(documents: readonly ConfigDocument[]): Cursor {
  const main = documents.find(({ kind }) => kind === mainKind);
  return cursorOf(main?.root ?? { kind: "map", entries: [] });
}

function fileIn(base64 = ""): string {
  return new TextDecoder().decode(Uint8Array.fromBase64(base64));
}

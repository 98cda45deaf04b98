/** What a configuration makes of a simulated node. */

import { type Cursor, cursorOf } from "../config/documents/cursor.ts";
import { loadDocuments, mainKind } from "../config/documents/load.ts";
import { readAuthority } from "../pki/authority.ts";
import type { Authority } from "../pki/certificate.ts";
import { sameBytes } from "../pki/der.ts";
import { decodePemAs, pemLabel } from "../pki/pem.ts";
import type { SimulatedNode } from "./node.ts";

/**
 * Gives a node a configuration; it counts from the next boot on.
 *
 * @param node The node.
 * @param text YAML that a node of its release accepts.
 */
export async function configure(
  node: SimulatedNode,
  text: string,
): Promise<void> {
  const type = machineOf(text).get("type").text();
  const isWorker = type !== "controlplane" && type !== "init";
  node.configuration = text;
  node.configured = true;
  node.identity = {
    ...node.identity,
    machineType: isWorker ? "worker" : "controlplane",
  };
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
  { configuration, cluster }: SimulatedNode,
): Promise<Authority | undefined> {
  if (configuration === undefined) return cluster.authority;
  const machine = machineOf(configuration);
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

function machineOf(text: string): Cursor {
  const { documents } = loadDocuments(text, "config.yaml");
  const main = documents.find(({ kind }) => kind === mainKind);
  return cursorOf(main?.root ?? { kind: "map", entries: [] }).get("machine");
}

function fileIn(base64 = ""): string {
  return new TextDecoder().decode(Uint8Array.fromBase64(base64));
}

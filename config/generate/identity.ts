/** Cluster of a file, identified by values that nodes and clients verify. */

import { ConfigError } from "../../errors.ts";
import { spkiFingerprintHex } from "../../pki/fingerprint.ts";
import { decodePemAs, pemLabel } from "../../pki/pem.ts";
import { type Cursor, toCursor } from "../documents/cursor.ts";
import { readStat, resolveLinks } from "../../lib/files/atomic_file.ts";
import { readBoundedBytes } from "../../lib/files/bounded_file.ts";
import { takenAmong } from "../../lib/files/file_set.ts";
import { decodeBase64 } from "../osconfig/client_identity.ts";
import { findChild, isNull } from "../tree/node.ts";
import { readDocuments } from "../tree/read.ts";
import type { SecretsBundle } from "./secrets.ts";

/** Identity of a cluster. */
export interface ClusterIdentity {
  /** Cluster id; absent in client configurations. */
  readonly id?: string;
  /** `sha256:` and hexadecimal digits: fingerprint of the public key in the CA of the node API. */
  readonly fingerprint?: string;
}

/** Cluster identity of these secrets. */
export function readIdentity(
  { cluster: { id }, certs: { os } }: SecretsBundle,
): Promise<ClusterIdentity> {
  return withFingerprint(id, os.crt);
}

/** Determines the cluster of a generated file. Returns the identity; empty for any other text. */
export async function identityIn(text: string): Promise<ClusterIdentity> {
  const root = parseRoot(text);
  if (root === undefined) return {};
  const context = root.get("context").text() ?? "";
  const certificates = [
    root.get("certs", "os", "crt"),
    root.get("machine", "ca", "crt"),
    root.get("contexts", context, "ca"),
  ];
  const [crt] = certificates.flatMap((place) => place.text() || []);
  const own = root.documents.find((one) =>
    one.get("kind").text() === "DiscoveryIdentityConfig"
  );
  const id = root.get("cluster", "id").text() ?? own?.get("clusterID").text();
  return await withFingerprint(id, crt);
}

/** Reports whether two files may belong to the same cluster: they have a common value, and no common value differs. */
export function isSameCluster(a: ClusterIdentity, b: ClusterIdentity): boolean {
  const names = ["id", "fingerprint"] as const;
  const common = names.filter((name) =>
    a[name] !== undefined && b[name] !== undefined
  );
  return common.length > 0 && common.every((name) => a[name] === b[name]);
}

/** Formats an identity: `cluster id …, node API CA sha256:…`. */
export function identityText({ id, fingerprint }: ClusterIdentity): string {
  const parts = [
    id === undefined ? [] : [`cluster id ${id}`],
    fingerprint === undefined ? [] : [`node API CA ${fingerprint}`],
  ].flat();
  return parts.length > 0 ? parts.join(", ") : "no known cluster";
}

function parseRoot(
  text: string,
): (Cursor & { readonly documents: readonly Cursor[] }) | undefined {
  try {
    const { documents } = readDocuments(text, "");
    const main = documents.find(({ root }) => isNull(findChild(root, "kind")));
    return main && {
      ...toCursor(main.root),
      documents: documents.map(({ root }) => toCursor(root)),
    };
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

async function withFingerprint(
  id: string | undefined,
  crt: string | undefined,
): Promise<ClusterIdentity> {
  const fingerprint = crt === undefined
    ? undefined
    : await readFingerprint(crt);
  return {
    ...(id ? { id } : {}),
    ...(fingerprint === undefined ? {} : { fingerprint }),
  };
}

async function readFingerprint(crt: string): Promise<string | undefined> {
  try {
    const pem = decodeBase64(crt) ?? new Uint8Array();
    const [certificate] = decodePemAs(pemLabel.certificate, pem);
    return await spkiFingerprintHex(certificate);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** An existing file. */
export interface ExistingFile {
  readonly path: string;
  /** Content; empty if it is not a regular file. */
  readonly content: Uint8Array;
  readonly identity: ClusterIdentity;
}

/**
 * Checks the paths of files to write. Returns the existing ones, in the given order. Throws
 * `ConfigError` if one of them is not readable.
 */
export async function existingAmong(
  paths: readonly string[],
): Promise<readonly ExistingFile[]> {
  const taken = await takenAmong(paths);
  return await Promise.all(taken.map(async (path) => {
    const content = await contentAt(path);
    const identity = await identityIn(new TextDecoder().decode(content));
    return { path, content, identity };
  }));
}

async function contentAt(path: string): Promise<Uint8Array> {
  const bounds = { limitMib: 16, expected: "another path for the new file" };
  // Pipes and devices may never end, or wait for a writer.
  const stat = await readStat(await resolveLinks(path));
  const content = stat?.isFile
    ? await readBoundedBytes({ path, ...bounds })
    : undefined;
  return content ?? new Uint8Array();
}

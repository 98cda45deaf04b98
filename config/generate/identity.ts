/** Which cluster a file belongs to, told by what nodes and clients check. */

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

/** What tells a cluster from others. */
export interface ClusterIdentity {
  /** Cluster id; absent in client configurations. */
  readonly id?: string;
  /** `sha256:` and hexadecimal digits: the public key of the node API's CA. */
  readonly fingerprint?: string;
}

/** Identity of the cluster that has these secrets. */
export function readIdentity(
  { cluster: { id }, certs: { os } }: SecretsBundle,
): Promise<ClusterIdentity> {
  return withFingerprint(id, os.crt);
}

/**
 * Finds out which cluster a generated file belongs to. Returns what is found there; nothing when
 * the text is something else.
 */
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

/**
 * Reports whether two files may belong to one cluster. Returns true when nothing that both say
 * differs, and they have something in common.
 */
export function isSameCluster(a: ClusterIdentity, b: ClusterIdentity): boolean {
  const names = ["id", "fingerprint"] as const;
  const common = names.filter((name) =>
    a[name] !== undefined && b[name] !== undefined
  );
  return common.length > 0 && common.every((name) => a[name] === b[name]);
}

/** Describes an identity: `cluster id …, node API CA sha256:…`. */
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

/** A file that is there. */
export interface ExistingFile {
  readonly path: string;
  /** What it holds; nothing when it is not a regular file. */
  readonly content: Uint8Array;
  readonly identity: ClusterIdentity;
}

/**
 * Looks at the places files are to go to. Returns what is there, in the order given. Throws
 * `ConfigError` if something there cannot be read.
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
  // Pipes and devices might never end, or wait for a writer.
  const stat = await readStat(await resolveLinks(path));
  const content = stat?.isFile
    ? await readBoundedBytes({ path, ...bounds })
    : undefined;
  return content ?? new Uint8Array();
}

/** Secrets file of a cluster. */

import { ConfigError } from "../../errors.ts";
import { type Cursor, toCursor } from "../documents/cursor.ts";
import { identify } from "../documents/load.ts";
import { DocumentsError, refuse } from "../documents/problem.ts";
import { redacted } from "../documents/redact.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import {
  type ConfigNode,
  findChild,
  isNull,
  type MapEntry,
  type MapNode,
  toTree,
} from "../tree/node.ts";
import { mergeRoots } from "../patches/merge.ts";
import { type ReadDocument, readDocuments } from "../tree/read.ts";
import { writeTree } from "../tree/write.ts";
import { misread } from "../../lib/text/text_position.ts";
import { readSecrets } from "./secret_reader.ts";
import { encodeFile, type SecretsBundle } from "./secrets.ts";

/** Formats a secrets bundle deterministically. Returns YAML with lower-case keys. */
export function renderSecrets(bundle: SecretsBundle): string {
  const { cluster, secrets, trustdInfo, certs } = bundle;
  return writeTree(toTree({
    cluster: { id: cluster.id, secret: cluster.secret },
    secrets: {
      bootstraptoken: secrets.bootstrapToken,
      aescbcencryptionsecret: secrets.aescbcEncryptionSecret,
      secretboxencryptionsecret: secrets.secretboxEncryptionSecret,
    },
    trustdinfo: { token: trustdInfo.token },
    certs: {
      etcd: { crt: certs.etcd.crt, key: certs.etcd.key },
      k8s: { crt: certs.k8s.crt, key: certs.k8s.key },
      k8saggregator: {
        crt: certs.k8sAggregator.crt,
        key: certs.k8sAggregator.key,
      },
      k8sserviceaccount: { key: certs.k8sServiceAccount.key },
      os: { crt: certs.os.crt, key: certs.os.key },
    },
  }));
}

/**
 * Parses a secrets bundle. Keys may be in any case; unknown ones are ignored.
 *
 * @param text YAML or JSON; only the first document is used.
 * @throws {ConfigError} If it is not YAML, or with every missing or invalid secret.
 */
export async function parseSecrets(
  text: string,
  file: string,
): Promise<SecretsBundle> {
  const [document] = readDocuments(text, file).documents;
  if (document === undefined) {
    throw misread(file, undefined, "it is empty", hint);
  }
  const root = toCursor(inLowerCase(document.root));
  const certs = (name: string) => root.get("certs", name);
  const { bundle, problems } = await readSecrets({
    id: root.get("cluster", "id"),
    secret: root.get("cluster", "secret"),
    bootstrapToken: root.get("secrets", "bootstraptoken"),
    aescbc: root.get("secrets", "aescbcencryptionsecret"),
    secretbox: root.get("secrets", "secretboxencryptionsecret"),
    token: root.get("trustdinfo", "token"),
    certs: {
      etcd: certs("etcd"),
      k8s: certs("k8s"),
      k8sAggregator: certs("k8saggregator"),
      k8sServiceAccount: certs("k8sserviceaccount"),
      os: certs("os"),
    },
  });
  if (problems.length === 0) return bundle;
  const { message } = new DocumentsError(`secrets bundle "${file}"`, problems);
  const isConfig = findChild(document.root, "machine") !== undefined;
  throw new ConfigError(message, { hint: isConfig ? configHint : hint });
}

/**
 * Reads a secrets bundle from a file. Throws `ConfigError` if it is missing or larger than 1 MiB,
 * and the errors of {@linkcode parseSecrets}.
 */
export async function readSecretsFile(path: string): Promise<SecretsBundle> {
  const text = await readBoundedText({
    path,
    limitMib: 1,
    expected: "a secrets bundle",
  });
  if (text !== undefined) return await parseSecrets(text, path);
  throw new ConfigError(`Cannot read "${path}": no such file`, {
    hint: "Create one with: osctl gen secrets",
  });
}

const hint = "Use the file that osctl gen secrets wrote";
const configHint =
  "This is a machine configuration; make a secrets bundle from it with: osctl gen secrets --from-controlplane-config";

/** A lower-case key takes precedence over others. */
function inLowerCase(node: ConfigNode): ConfigNode {
  if (node.kind !== "map") return node;
  const entries = new Map<string, MapEntry>();
  for (const entry of node.entries) {
    const key = entry.key.toLowerCase();
    if (entries.has(key) && key !== entry.key) continue;
    entries.set(key, { ...entry, key, value: inLowerCase(entry.value) });
  }
  return { ...node, entries: [...entries.values()] };
}

/**
 * Extracts the secrets bundle from a machine configuration.
 *
 * @param text One or several YAML documents.
 * @throws {ConfigError} If it is not YAML, has no main document, or with every missing or invalid secret.
 */
export async function secretsFromConfig(
  text: string,
  file: string,
): Promise<SecretsBundle> {
  const { documents } = readDocuments(text, file);
  // Loading them would mask the secrets that are to be written.
  for (const { root, number } of documents) {
    const found = identify(root, number);
    if ("message" in found) refuse(`"${file}"`, [found]);
  }
  const main = documents.find(({ root }) => isNull(findChild(root, "kind")));
  if (main === undefined) {
    const fault = documents.length === 0
      ? "it is empty"
      : "it has no main document";
    throw misread(file, undefined, fault, controlPlaneHint);
  }
  const root = toCursor(mergeDocuments(main.root, documents));
  const { bundle, problems } = await readSecrets(placesIn(root));
  if (problems.length === 0) return bundle;
  const { message } = new DocumentsError(readSubject(root, file), problems);
  throw new ConfigError(message, { hint: controlPlaneHint });
}

/** The main document with secrets merged from the separate documents that hold them since 1.14. */
function mergeDocuments(
  main: ConfigNode,
  documents: readonly ReadDocument[],
): ConfigNode {
  const of = (kind: string) => {
    const own = documents.find(({ root }) => findKind(root) === kind);
    return own && toCursor(own.root);
  };
  const pair = (kind: string) => {
    const given = of(kind)?.get("issuingCA");
    return given?.node === undefined ? undefined : {
      crt: encodeFile(given.get("cert").text() ?? ""),
      key: encodedKey(given.get("key")),
    };
  };
  const identity = of("DiscoveryIdentityConfig");
  const signer = of("KubeServiceAccountConfig")?.get("issuer", "privateKey");
  const cluster = toTree({
    id: identity?.get("clusterID").text(),
    secret: identity?.get("clusterSecret").text(),
    ca: pair("KubeAPIServerCAConfig"),
    aggregatorCA: pair("KubeAggregatorCAConfig"),
    serviceAccount: signer && { key: encodedKey(signer) },
    ...encryptionIn(of("KubeEtcdEncryptionConfig")?.get("config")),
  });
  if (cluster.kind !== "map" || cluster.entries.length === 0) return main;
  const right: MapNode = {
    kind: "map",
    entries: [{ key: "cluster", value: cluster }],
  };
  return main.kind === "map" ? mergeRoots(main, right, undefined).root : main;
}

function findKind(root: ConfigNode): string | undefined {
  return toCursor(root).get("kind").text();
}

function encodedKey(place: Cursor): string {
  const text = place.text() ?? "";
  return text === redacted ? text : encodeFile(text);
}

/** The first key of the first encryption provider of Kubernetes. */
function encryptionIn(config: Cursor | undefined) {
  const resource = config?.get("resources").items().find((item) =>
    item.get("resources").items().some((one) => one.text() === "secrets")
  );
  const [provider] = resource?.get("providers").items() ?? [];
  const readSecret = (name: string) =>
    provider?.get(name, "keys").items()[0]?.get("secret").text();
  return {
    secretboxEncryptionSecret: readSecret("secretbox"),
    aescbcEncryptionSecret: readSecret("aescbc"),
  };
}

const controlPlaneHint = "Use the machine configuration of a control plane";

function readSubject(root: Cursor, file: string): string {
  const type = root.get("machine", "type").text();
  return type === "worker" || type === "join"
    ? `configuration "${file}" of a worker`
    : `configuration "${file}"`;
}

function placesIn(root: Cursor) {
  const cluster = (...keys: readonly string[]) => root.get("cluster", ...keys);
  return {
    id: cluster("id"),
    secret: cluster("secret"),
    bootstrapToken: cluster("token"),
    aescbc: cluster("aescbcEncryptionSecret"),
    secretbox: cluster("secretboxEncryptionSecret"),
    token: root.get("machine", "token"),
    certs: {
      etcd: cluster("etcd", "ca"),
      k8s: cluster("ca"),
      k8sAggregator: cluster("aggregatorCA"),
      k8sServiceAccount: cluster("serviceAccount"),
      os: root.get("machine", "ca"),
    },
  };
}

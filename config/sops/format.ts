/** Files that SOPS encrypts: YAML whose values are encrypted with one data key. */

import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
} from "node:crypto";
import { processMasker } from "../../lib/masker.ts";
import { misread } from "../../lib/text/text_position.ts";
import { toCursor } from "../documents/cursor.ts";
import { goPattern } from "../go_pattern.ts";
import { coreValue } from "../tree/core_value.ts";
import {
  type ConfigNode,
  findChild,
  isNull,
  type MapNode,
  type Plain,
  type ScalarNode,
  toTree,
  withoutComments,
  withValues,
} from "../tree/node.ts";
import type { ReadDocument } from "../tree/read.ts";

/** Selection of the encrypted values: at most one of the first four. */
export interface SopsSelection {
  readonly unencrypted_suffix?: string;
  readonly encrypted_suffix?: string;
  readonly unencrypted_regex?: string;
  readonly encrypted_regex?: string;
  readonly mac_only_encrypted?: boolean;
}

/** Encryption metadata of a file. */
interface SopsMetadata {
  /** Data key for each recipient of age, in ASCII armor. */
  readonly age: readonly { readonly recipient: string; readonly enc: string }[];
  /** Other keys that hold the data key, by their names in the file: `pgp`. */
  readonly others: readonly string[];
  readonly root: ConfigNode;
}

/** Names of other keys; the data key is split among `key_groups`. */
const otherKeys = [
  "pgp",
  "kms",
  "gcp_kms",
  "hckms",
  "azure_kv",
  "hc_vault",
  "key_groups",
];

/** Reads the encryption metadata of a file; `undefined` if it is not encrypted. */
export function readSops(
  documents: readonly ReadDocument[],
): SopsMetadata | undefined {
  const root = documents.map((one) => findChild(one.root, "sops"))
    .find((one) => one !== undefined);
  if (root === undefined) return undefined;
  const at = toCursor(root);
  return {
    age: at.get("age").items().map((key) => ({
      recipient: key.get("recipient").text() ?? "",
      enc: key.get("enc").text() ?? "",
    })),
    others: otherKeys.filter((name) => at.get(name).items().length > 0),
    root,
  };
}

/** Removes the encryption metadata of a file, and its comments: they may be encrypted. */
export function withoutSops(
  documents: readonly ReadDocument[],
): readonly ReadDocument[] {
  return documents.map((document) => {
    if (document.root.kind !== "map") return document;
    const root = withoutComments(document.root);
    const entries = root.entries.filter(({ key }) => key !== "sops");
    return { ...document, root: { ...root, entries } };
  });
}

/** True for names and kinds of documents and nodes: they identify what is shown, and masking them would hide it. */
function isName(path: readonly string[]): boolean {
  return path.length === 1 && names.has(path[0] ?? "") ||
    path.join(".") === "machine.network.hostname";
}

const names: ReadonlySet<string> = new Set([
  "apiVersion",
  "kind",
  "name",
  "version",
  "hostname",
]);

/**
 * Decrypts a file, and checks its MAC. Decrypted values are masked in all output from now on.
 *
 * @param key The data key.
 * @throws {ConfigError} By line and column, if a value or the MAC is wrong.
 */
export function decryptSops(
  documents: readonly ReadDocument[],
  { root }: SopsMetadata,
  file: string,
  key: Uint8Array,
): readonly ReadDocument[] {
  const at = toCursor(root);
  const selection = coreValue(root) as SopsSelection;
  const isEncrypted = makeSelection(selection);
  const hash = startMac(selection);
  const plain = withoutSops(documents).map((document) => ({
    ...document,
    root: mapScalars(document.root, [], (node, path) => {
      if (!isEncrypted(path, node.text) || node.text === "") {
        if (selection.mac_only_encrypted !== true) hash.update(toBytes(node));
        return node;
      }
      const opened = open(node, key, `${path.join(":")}:`, file);
      if (opened.type === "comment") return undefined;
      hash.update(opened.bytes);
      const text = new TextDecoder().decode(opened.bytes);
      if (!isName(path)) processMasker.add(text);
      const isText = opened.type === "str" || opened.type === "bytes";
      const shown = opened.type === "bool" ? text.toLowerCase() : text;
      return { ...node, text: shown, plain: !isText };
    }),
  }));
  const [mac, changed] = [at.get("mac").node, at.get("lastmodified").text()];
  if (mac?.kind !== "scalar") {
    throw misread(file, root.at, "it has no MAC", restore);
  }
  const { bytes } = open(mac, key, changed ?? "", file);
  const expected = new TextDecoder().decode(bytes).toLowerCase();
  if (expected === hash.digest("hex")) return plain;
  throw misread(
    file,
    mac.at,
    "the MAC does not match: values were changed after the encryption",
    restore,
  );
}

const restore = "Restore the file, or edit it with: sops edit";

/** Master keys and selection for {@linkcode encryptSops}. */
interface SopsTarget {
  readonly selection: SopsSelection;
  /** Data key for each recipient of age, in ASCII armor. */
  readonly age: SopsMetadata["age"];
  readonly now: Date;
}

/** Encrypts the documents of a file. Each gets the metadata as its last key. */
export function encryptSops(
  roots: readonly MapNode[],
  key: Uint8Array,
  { selection, age, now }: SopsTarget,
): readonly MapNode[] {
  const isEncrypted = makeSelection(selection);
  const hash = startMac(selection);
  const encrypted = roots.map((root) =>
    mapScalars(withoutComments(root), [], (node, path) => {
      const bytes = toBytes(node);
      const isChosen = isEncrypted(path, "");
      if (isChosen || selection.mac_only_encrypted !== true) hash.update(bytes);
      return isChosen && node.text !== ""
        ? seal(node, bytes, key, `${path.join(":")}:`)
        : node;
    }) as MapNode
  );
  const lastmodified = now.toISOString().replace(/\.\d+Z$/, "Z");
  const mac = new TextEncoder().encode(hash.digest("hex").toUpperCase());
  const text: ScalarNode = { kind: "scalar", text: "", plain: false };
  const value = toTree({
    age: age.map(({ recipient, enc }) => ({ enc, recipient })),
    lastmodified,
    mac: seal(text, mac, key, lastmodified).text,
    ...selection as { readonly [name: string]: Plain },
    version: "3.9.0",
  });
  return encrypted.map(({ entries }) => ({
    kind: "map",
    entries: [...entries, { key: "sops", value }],
  }));
}

/** Decides by the keys on the way to a value. `text`: of the value, in a file whose comments decide. */
function makeSelection(
  metadata: SopsSelection,
): (path: readonly string[], text: string) => boolean {
  const suffix = metadata.encrypted_suffix ?? metadata.unencrypted_suffix;
  const regex = metadata.encrypted_regex ?? metadata.unencrypted_regex;
  const isChosen = regex === undefined
    ? (key: string) => key.endsWith(suffix ?? "_unencrypted")
    : (key: string) => goPattern(regex).test(key);
  const whenChosen = metadata.encrypted_suffix !== undefined ||
    metadata.encrypted_regex !== undefined;
  if (suffix === undefined && regex === undefined) {
    const byComment = Object.keys(metadata).some((name) =>
      name.endsWith("encrypted_comment_regex")
    );
    // The MAC finds values that were replaced by plain ones.
    if (byComment) return (_, text) => text.startsWith("ENC[AES256_GCM,");
  }
  return (path) => path.some(isChosen) === whenChosen;
}

/** MACs over encrypted values alone begin with the SHA-256 of "sops". */
function startMac({ mac_only_encrypted: only }: SopsSelection) {
  const hash = createHash("sha512");
  return only === true
    ? hash.update(createHash("sha256").update("sops").digest())
    : hash;
}

const pattern = /^ENC\[AES256_GCM,data:(.+),iv:(.+),tag:(.+),type:(.+)\]$/;

function open(
  { text, at }: ScalarNode,
  key: Uint8Array,
  path: string,
  file: string,
): { readonly bytes: Uint8Array; readonly type: string } {
  const [, ...parts] = pattern.exec(text) ?? [];
  const type = parts.pop();
  if (type === undefined) {
    throw misread(file, at, "this value is not encrypted", restore);
  }
  try {
    const [data, iv, tag] = parts.map((one) => Uint8Array.fromBase64(one));
    const cipher = createDecipheriv("aes-256-gcm", key, iv!);
    cipher.setAAD(new TextEncoder().encode(path));
    cipher.setAuthTag(tag!);
    const start = cipher.update(data!);
    return { bytes: Uint8Array.of(...start, ...cipher.final()), type };
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    const fault = "this value does not decrypt: it was changed or moved";
    throw misread(file, at, fault, restore);
  }
}

function seal(
  node: ScalarNode,
  bytes: Uint8Array,
  key: Uint8Array,
  path: string,
): ScalarNode {
  const iv = randomBytes(32);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  cipher.setAAD(new TextEncoder().encode(path));
  const data = Uint8Array.of(...cipher.update(bytes), ...cipher.final());
  const parts = {
    data: data.toBase64(),
    iv: new Uint8Array(iv).toBase64(),
    tag: new Uint8Array(cipher.getAuthTag()).toBase64(),
    type: findType(node),
  };
  const shown = Object.entries(parts).map(([name, one]) => `${name}:${one}`);
  return { ...node, text: `ENC[AES256_GCM,${shown}]`, plain: false };
}

function findType(node: ScalarNode): string {
  const value = coreValue(node);
  if (isDate(node)) return "time";
  if (typeof value === "string") return "str";
  if (typeof value === "boolean") return "bool";
  return Number.isInteger(value) && !/[.e]/i.test(node.text) ? "int" : "float";
}

/** A value as the MAC has it: as Go writes it. */
function toBytes(node: ScalarNode): Uint8Array {
  return new TextEncoder().encode(formatForMac(node));
}

function formatForMac(node: ScalarNode): string {
  const { text, plain } = node;
  if (isDate(node)) return `${text}T00:00:00Z`;
  const value = coreValue(node);
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "number" || /^-?[1-9]\d*$/.test(text)) return text;
  if (plain && /^[-+]?0[0-7]+$/.test(text)) return String(parseInt(text, 8));
  // Without an exponent.
  return value.toLocaleString("en", {
    useGrouping: false,
    maximumFractionDigits: 100,
  });
}

function isDate({ text, plain }: ScalarNode): boolean {
  return plain && /^\d{4}-\d\d-\d\d$/.test(text);
}

/** Maps all values but null; lists do not count in the path. */
function mapScalars(
  node: ConfigNode,
  path: readonly string[],
  change: (
    node: ScalarNode,
    path: readonly string[],
  ) => ConfigNode | undefined,
): ConfigNode {
  if (node.kind === "scalar") return node;
  return withValues(node, (value, key) => {
    const steps = typeof key === "string" ? [...path, key] : path;
    return value.kind === "scalar" && !isNull(value)
      ? change(value, steps)
      : mapScalars(value, steps, change);
  });
}

/** YAML files with secrets: values that SOPS encrypts, and references of vals. */

import { randomBytes } from "node:crypto";
import { dirname, resolve } from "node:path";
import { ConfigError, UsageError } from "../../errors.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { misread } from "../../lib/text/text_position.ts";
import { openSealed, sealFor } from "../../pki/age.ts";
import { type Cursor, toCursor } from "../documents/cursor.ts";
import { goPattern } from "../go_pattern.ts";
import { coreValue } from "../tree/core_value.ts";
import type { ConfigNode, MapNode } from "../tree/node.ts";
import { type ReadDocument, readDocuments } from "../tree/read.ts";
import { writeDocuments } from "../tree/write.ts";
import {
  decryptSops,
  encryptSops,
  readSops,
  type SopsSelection,
  withoutSops,
} from "./format.ts";
import { findIdentities } from "./identities.ts";
import {
  runResolver,
  type SecretEnvironment,
  withResolved,
} from "./resolve.ts";

/**
 * Parses a file. Values that are encrypted with SOPS, or references of `vals`, are resolved, and masked in all output
 * from now on. Throws `ConfigError` if it is not YAML, or they cannot be resolved.
 */
export async function parseSecretFile(
  text: string,
  path: string,
  environment: SecretEnvironment,
): Promise<readonly ReadDocument[]> {
  const { documents } = readDocuments(text, path);
  const plain = await decryptFile(documents, path, environment);
  if (!plain.some(({ root }) => hasReference(root))) return plain;
  const input = writeDocuments(plain.map(({ root }) => root));
  const call = { program: "vals", args: ["eval", "-f", "-"], input };
  const resolved = await runResolver("resolve", path, call, environment);
  return withResolved(plain, resolved, path, isReference);
}

/** Reports whether SOPS has encrypted a file. Throws `ConfigError` if it is not YAML. */
export function isEncrypted(text: string, path: string): boolean {
  return readSops(readDocuments(text, path).documents) !== undefined;
}

function isReference(text: string): boolean {
  return /^ref\+[a-zA-Z0-9]+:\/\//.test(text);
}

function hasReference(node: ConfigNode): boolean {
  if (node.kind === "scalar") return isReference(node.text);
  const parts = node.kind === "map" ? node.entries : node.items;
  return parts.some(({ value }) => hasReference(value));
}

/**
 * Decrypts a file with the keys that SOPS would find; with other keys than those of age, `sops` decrypts it.
 *
 * @throws {ConfigError} If there is no key, or a value or the MAC is wrong.
 */
async function decryptFile(
  documents: readonly ReadDocument[],
  path: string,
  environment: SecretEnvironment,
): Promise<readonly ReadDocument[]> {
  const metadata = readSops(documents);
  if (metadata === undefined) return documents;
  const places: string[] = [];
  let hasPlugin = false;
  for (const { recipient, enc } of metadata.age) {
    const found = await findIdentities(recipient, environment);
    const key = await openSealed(enc, found.identities);
    if (key !== undefined) {
      return decryptSops(documents, metadata, path, key);
    }
    places.splice(0, Infinity, ...found.places);
    hasPlugin ||= found.hasPlugin;
  }
  if (metadata.others.length > 0 || hasPlugin) {
    const call = { program: "sops", args: ["decrypt", path], input: null };
    const text = await runResolver("decrypt", path, call, environment);
    return withResolved(
      withoutSops(documents),
      text,
      path,
      (one) => one.startsWith("ENC["),
    );
  }
  const recipients = metadata.age.map(({ recipient }) => recipient);
  throw new ConfigError(
    `Cannot decrypt "${path}": there is no private key for ${
      recipients.join(", ")
    }`,
    {
      hint: `Set SOPS_AGE_KEY or SOPS_AGE_KEY_FILE; searched: ${
        places.join(", ")
      }`,
    },
  );
}

/** Keys of a rule whose data key only `sops` can encrypt. */
const otherKeys = [
  "pgp",
  "kms",
  "gcp_kms",
  "hckms",
  "azure_keyvault",
  "hc_vault_transit_uri",
  "unencrypted_comment_regex",
  "encrypted_comment_regex",
];

/**
 * Encrypts a new file if a rule of the nearest `.sops.yaml` says so.
 *
 * @param text YAML, whose documents are mappings.
 * @param path Where it is to be written; compared with the rules.
 * @returns The encrypted file; `undefined` if no rule matches.
 * @throws {ConfigError} By line and column, if the rule cannot be applied.
 */
export async function encryptByRule(
  text: string,
  path: string,
  environment: SecretEnvironment,
): Promise<string | undefined> {
  const found = await findRule(resolve(path));
  if (found === undefined) return undefined;
  const { rule, file } = found;
  const groups = rule.get("key_groups").items();
  const [from = rule] = groups;
  const recipients = from.get("age").texts()
    .flatMap((one) => one.split(",")).map((one) => one.trim())
    .filter((one) => one !== "");
  const { documents } = readDocuments(text, path);
  const isOther = groups.length > 1 ||
    otherKeys.some((name) =>
      [rule, from].some((one) => one.get(name).node !== undefined)
    ) ||
    // The name of a plugin is followed by a 1.
    recipients.some((one) => /^age1(?!pq1|tag)[^1]*1/.test(one));
  if (isOther) {
    const args = ["--config", file, "encrypt", "--filename-override", path];
    const types = ["--input-type", "yaml", "--output-type", "yaml"];
    const call = { program: "sops", args: [...args, ...types], input: text };
    return await runResolver("encrypt", path, call, environment);
  }
  if (recipients.length === 0) {
    throw misread(file, rule.at, "the rule has no keys", "Add age: age1…");
  }
  const given = coreValue(rule.node) as Readonly<Record<string, string>>;
  const names = ["unencrypted_suffix", "encrypted_suffix"]
    .concat(["unencrypted_regex", "encrypted_regex"])
    .filter((name) => given[name] !== undefined);
  if (names.length > 1) {
    const fault = `the rule has both ${names.join(" and ")}`;
    throw misread(file, rule.at, fault, "Keep one of them");
  }
  const [name = "unencrypted_suffix"] = names;
  const selection: SopsSelection = {
    [name]: given[name] ?? "_unencrypted",
    ...rule.get("mac_only_encrypted").truth() && { mac_only_encrypted: true },
  };
  const key = new Uint8Array(randomBytes(32));
  const age = [];
  for (const recipient of recipients) {
    const enc = await sealFor(recipient, key).catch((error) => {
      if (!(error instanceof UsageError)) throw error;
      const fault = `"${recipient}" is not a public key of age or SSH`;
      throw misread(file, from.get("age").at, fault);
    });
    age.push({ recipient, enc });
  }
  const roots = documents.map(({ root }) => root as MapNode);
  const target = { selection, age, now: environment.now() };
  return writeDocuments(encryptSops(roots, key, target));
}

async function findRule(
  path: string,
): Promise<{ readonly rule: Cursor; readonly file: string } | undefined> {
  for (let folder = dirname(path);; folder = dirname(folder)) {
    const file = resolve(folder, ".sops.yaml");
    const text = await readBoundedText({
      path: file,
      limitMib: 1,
      expected: "rules",
    });
    if (text !== undefined) {
      const [document] = readDocuments(text, file).documents;
      if (document === undefined) return undefined;
      const rules = toCursor(document.root).get("creation_rules").items();
      const own = path.slice(folder.replace(/\/$/, "").length + 1);
      const rule = rules.find((one) => isFor(one.get("path_regex"), own, file));
      return rule && { rule, file };
    }
    if (dirname(folder) === folder) return undefined;
  }
}

function isFor(pattern: Cursor, path: string, file: string): boolean {
  const source = pattern.text();
  try {
    return source === undefined || goPattern(source).test(path);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw misread(file, pattern.at, `"${source}" is not a regular expression`);
  }
}

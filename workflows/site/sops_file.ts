/** Files of a directory that SOPS encrypts: who can read them, and who shall. */

import { randomBytes } from "node:crypto";
import { dirname, resolve } from "node:path";
import { type Cursor, toCursor } from "../../config/documents/cursor.ts";
import { goPattern } from "../../config/go_pattern.ts";
import {
  decryptSops,
  encryptSops,
  readSops,
  type SopsSelection,
  withoutSops,
} from "../../config/sops.ts";
import { coreValue } from "../../config/tree/core_value.ts";
import type { MapNode } from "../../config/tree/node.ts";
import { type ReadDocument, readDocuments } from "../../config/tree/read.ts";
import { writeDocuments } from "../../config/tree/write.ts";
import { ConfigError, UsageError } from "../../errors.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { processMasker } from "../../lib/masker.ts";
import { misread } from "../../lib/text/text_position.ts";
import {
  type AgeIdentity,
  openSealed,
  parseIdentity,
  sealFor,
} from "../../pki/age.ts";
import { sshIdentity } from "../../pki/age_ssh.ts";
import { listTexts } from "./parse_nodes.ts";
import { runResolver, withResolved } from "./resolver.ts";
import type { SiteEnvironment } from "./site_environment.ts";

/**
 * Decrypts a file with the keys that SOPS would find; with other keys than those of age, `sops` decrypts it.
 *
 * @throws {ConfigError} If there is no key, or a value or the MAC is wrong.
 */
export async function decryptFile(
  documents: readonly ReadDocument[],
  path: string,
  environment: SiteEnvironment,
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

interface FoundIdentities {
  readonly identities: readonly AgeIdentity[];
  /** Where keys were searched, with what is wrong there. */
  readonly places: readonly string[];
  /** True if there is a key of a plugin, which only `sops` can use. */
  readonly hasPlugin: boolean;
}

/** Finds private keys where SOPS does. */
async function findIdentities(
  recipient: string,
  { env, os, runProgram, signal }: SiteEnvironment,
): Promise<FoundIdentities> {
  const identities: AgeIdentity[] = [];
  const places: string[] = [];
  let hasPlugin = false;
  const take = (place: string, text: string | undefined, isSsh: boolean) => {
    if (text === undefined) return void places.push(`${place} (missing)`);
    const lines = isSsh ? [text] : text.split(/\s*\n\s*/)
      .filter((line) => line !== "" && !line.startsWith("#"));
    try {
      for (const line of lines) {
        processMasker.add(line);
        if (line.startsWith("AGE-PLUGIN-")) hasPlugin = true;
        else identities.push(isSsh ? sshIdentity(line) : parseIdentity(line));
      }
      places.push(place);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      places.push(`${place} (${error.message})`);
    }
  };
  const read = (path: string) =>
    readBoundedText({ path, limitMib: 1, expected: "private keys" });
  // As with SOPS, another key may do when a program fails.
  const run = async (name: string, line: string, isSsh: boolean) => {
    const [program = "", ...args] = splitWords(line);
    const added = { SOPS_AGE_RECIPIENT: recipient };
    const call = { program, args, input: null, env: added };
    try {
      const end = await runProgram({ ...call, inheritAll: true }, signal);
      if (end.status === 0) return take(name, end.stdout, isSsh);
      places.push(`${name} (it ended with status ${end.status})`);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      places.push(`${name} (${error.message})`);
    }
  };
  const home = env("HOME") ?? env("USERPROFILE") ?? "";
  const configuration = env("XDG_CONFIG_HOME") ||
    (os === "windows"
      ? env("APPDATA")
      : `${home}/${
        os === "darwin" ? "Library/Application Support" : ".config"
      }`);
  const keys = `${configuration}/sops/age/keys.txt`;
  const own = env("SOPS_AGE_KEY")?.trim().replaceAll(/\s+/g, "\n");
  if (own !== undefined) take("SOPS_AGE_KEY", own, false);
  for (
    const [name, isSsh] of [
      ["SOPS_AGE_KEY_FILE", false],
      [keys, false],
      ["SOPS_AGE_SSH_PRIVATE_KEY_FILE", true],
      [`${home}/.ssh/id_ed25519`, true],
      [`${home}/.ssh/id_rsa`, true],
    ] as const
  ) {
    const path = name.startsWith("SOPS_") ? env(name) : name;
    if (path !== undefined) take(name, await read(path), isSsh);
  }
  for (
    const [name, isSsh] of [
      ["SOPS_AGE_KEY_CMD", false],
      ["SOPS_AGE_SSH_PRIVATE_KEY_CMD", true],
    ] as const
  ) {
    const line = env(name);
    if (line !== undefined) await run(name, line, isSsh);
  }
  return { identities, places, hasPlugin };
}

/** Splits a command line as a shell does, without its variables. */
function splitWords(line: string): readonly string[] {
  return [...line.matchAll(/(?:[^\s"']+|"(?:[^"\\]|\\.)*"|'[^']*')+/g)]
    .map(([word]) =>
      word.replaceAll(
        /"((?:[^"\\]|\\.)*)"|'([^']*)'/g,
        (_, double?: string, single?: string) =>
          double?.replaceAll(/\\(.)/g, "$1") ?? single ?? "",
      )
    );
}

/** Keys of a rule whose data key only `sops` can encrypt. */
const otherKeys = [
  ...["pgp", "kms", "gcp_kms", "hckms", "azure_keyvault"],
  ...["hc_vault_transit_uri", "unencrypted_comment_regex"],
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
  environment: SiteEnvironment,
): Promise<string | undefined> {
  const found = await findRule(resolve(path));
  if (found === undefined) return undefined;
  const { rule, file } = found;
  const groups = rule.get("key_groups").items();
  const [from = rule] = groups;
  const recipients = listTexts(from.get("age"))
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

/** Private keys of age and SSH, where SOPS finds them. */

import { ConfigError } from "../../errors.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { processMasker } from "../../lib/masker.ts";
import { type AgeIdentity, parseIdentity } from "../../pki/age.ts";
import { sshIdentity } from "../../pki/age_ssh.ts";
import type { SecretEnvironment } from "./resolve.ts";

/** Private keys of this user. */
interface FoundIdentities {
  readonly identities: readonly AgeIdentity[];
  /** Where keys were searched, with what is wrong there. */
  readonly places: readonly string[];
  /** True if there is a key of a plugin, which only `sops` can use. */
  readonly hasPlugin: boolean;
}

/** Finds private keys where SOPS does. `recipient`: public key, for programs that print private ones. */
export async function findIdentities(
  recipient: string,
  { env, os, runProgram, signal }: SecretEnvironment,
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

/** Builds the portable form: a launcher script, followed by an archive of runtime and program. */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
// @ts-types="@types/tar-stream"
import { pack } from "tar-stream";
import {
  quickCommands,
  quickFlags,
  removedVariables,
  runtimeFlags,
  shieldedVariables,
} from "../provisioners/own_command.ts";

interface PortableParts {
  /** Name of the platform, such as `linux-amd64`. */
  readonly platform: string;
  /** Cache folder below the home directory. */
  readonly caches: string;
  readonly tag: string;
  /** Path of the platform's runtime. */
  readonly runtime: string;
  /** Folder of the portable bundle. */
  readonly bundle: string;
}

interface ArchiveMember {
  readonly name: string;
  readonly mode: number;
  readonly bytes: Uint8Array;
}

/**
 * Builds the file.
 *
 * @param parts Runtime, bundle and launcher values.
 * @returns Contents of the executable; reproducible.
 */
export async function portable(parts: PortableParts): Promise<Uint8Array> {
  const members = await listMembers(parts);
  const archive = await archiveFiles(members);
  const payload = await promisify(gzip)(archive);
  const template = await Deno.readTextFile(
    new URL("launcher.sh", import.meta.url),
  );
  const launcher = fillLauncher(template, {
    TAG: parts.tag,
    PLATFORM: parts.platform,
    CACHES: parts.caches,
    HASH: createHash("sha256").update(archive).digest("hex").slice(0, 16),
    DIGEST: digestMembers(members),
    SIZE: String(Math.ceil(archive.length / 1_000_000)),
    FLAGS: runtimeFlags.join(" "),
    QUICK: quickCommands.map(toPattern).join(" | "),
    QUICKFLAGS: quickFlags.join(" "),
    SHIELDED: shieldedVariables.join(" "),
    REMOVED: removedVariables.join(" "),
  });
  return Buffer.concat([Buffer.from(launcher), payload]);
}

/**
 * Fills in the launcher.
 *
 * @param template Script with `@NAME@` placeholders.
 * @param values Value by name; `OFFSET` is added: number of the first byte after the script, from 1.
 * @returns The script.
 * @throws {Error} If a placeholder has no value.
 */
export function fillLauncher(
  template: string,
  values: Readonly<Record<string, string>>,
): string {
  function filled(offset: number): string {
    const all: Readonly<Record<string, string>> = {
      ...values,
      OFFSET: String(offset),
    };
    return template.replace(/@([A-Z]+)@/g, (_, name) => {
      const value = all[name];
      if (value === undefined) throw new Error(`No value for @${name}@`);
      return value;
    });
  }
  let offset = 0;
  let script = filled(offset);
  // The script contains its own length.
  for (let size = byteLength(script); size + 1 !== offset;) {
    offset = size + 1;
    script = filled(offset);
    size = byteLength(script);
  }
  return script;
}

/** Shell pattern for the first two words; the launcher adds a space if there is only one. */
function toPattern(words: string): string {
  return words.includes(" ") ? `"${words}"` : `"${words} "*`;
}

async function listMembers(
  { runtime, bundle }: PortableParts,
): Promise<readonly ArchiveMember[]> {
  const members: ArchiveMember[] = [
    { name: "deno", mode: 0o755, bytes: await Deno.readFile(runtime) },
  ];
  const names = [];
  for await (const { name } of Deno.readDir(bundle)) names.push(name);
  for (const name of names.sort()) {
    const bytes = await Deno.readFile(`${bundle}/${name}`);
    members.push({ name, mode: 0o644, bytes });
  }
  return members;
}

/** SHA-256 of all names, each with a line end, and all contents, as computed by the launcher after unpacking. */
function digestMembers(members: readonly ArchiveMember[]): string {
  const sorted = members.toSorted((a, b) => a.name < b.name ? -1 : 1);
  const hash = createHash("sha256");
  for (const { name } of sorted) hash.update(`${name}\n`);
  for (const { bytes } of sorted) hash.update(bytes);
  return hash.digest("hex");
}

async function archiveFiles(
  members: readonly ArchiveMember[],
): Promise<Uint8Array> {
  const archive = pack();
  for (const { name, mode, bytes } of members) {
    // Without times and owners, for reproducible files.
    const header = { name, mode, mtime: new Date(0), uid: 0, gid: 0 };
    archive.entry(header, Buffer.from(bytes.buffer));
  }
  archive.finalize();
  return Buffer.concat(await Array.fromAsync<Uint8Array>(archive));
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Extracts an archive into a directory, and never outside it. */

import { unwritable } from "../../lib/files/atomic_file.ts";
import { systemReason } from "../../lib/files/system_reason.ts";
import {
  checkLinkText,
  checkName,
  type EntryRefusal,
  fileMode,
  folderMode,
} from "../../lib/archive/entry_check.ts";
import type { ArchiveEntry } from "../../lib/archive/entries.ts";
import { type Folders, folders, isThere } from "./folders.ts";
import { OsctlError } from "../../errors.ts";

/** A refused entry. */
export interface RefusedEntry {
  readonly name: string;
  /** Reason; completes the sentence "the entry …". */
  readonly reason: EntryRefusal;
}

/**
 * Extracts an archive.
 *
 * No symlink is followed, from the archive or on disk, and nothing is overwritten. A file gets its name when it is
 * complete. Keeps permissions; not owners, times or extended attributes.
 *
 * @throws {OsctlError} If something cannot be written, such as for lack of space.
 * @throws Errors of `entries`.
 */
export async function extractEntries(
  entries: AsyncIterable<ArchiveEntry>,
  { target, os, refused }: {
    readonly target: string;
    readonly os: string;
    readonly refused: (entry: RefusedEntry) => void;
  },
): Promise<void> {
  let into: Folders | undefined;
  try {
    for await (const entry of entries) {
      const { name } = entry;
      // Created with the first entry.
      into ??= await begin(target, os);
      try {
        const reason = await place(entry, into, os);
        if (reason !== undefined) refused({ name, reason });
      } catch (error) {
        refused({ name, reason: toRefusal(error, `${target}/${name}`) });
      }
    }
    into ??= await begin(target, os);
  } finally {
    await into?.finish();
  }
}

async function begin(target: string, os: string): Promise<Folders> {
  try {
    await Deno.mkdir(target, { recursive: true });
    return folders(await Deno.realPath(target), os);
  } catch (cause) {
    const text = systemReason(cause);
    throw new OsctlError(`Cannot create the folder "${target}": ${text}`, {
      cause,
    });
  }
}

/** Writes one entry. Returns the reason if it is refused. */
async function place(
  entry: ArchiveEntry,
  into: Folders,
  os: string,
): Promise<EntryRefusal | void> {
  const checked = checkName(entry.name, os);
  if ("refused" in checked) return checked.refused;
  const { parts } = checked;
  if (parts.length === 0) {
    return entry.kind === "folder" ? undefined : "has no name";
  }
  switch (entry.kind) {
    case "folder":
      return await into.folder(parts, folderMode(entry.mode));
    case "file":
      return await placeNew(
        parts,
        into,
        (path) => writeFile(entry, path, into),
      );
    case "symlink":
      return checkLinkText(entry.target) ??
        await placeNew(parts, into, (path) => makeLink(entry.target, path, os));
    case "hardlink":
      return await placeHardLink(entry, parts, into, os);
    case "device":
      return "is a device";
    case "pipe":
      return "is a named pipe";
    case "unknown":
      return "is of an unknown type";
  }
}

async function placeNew(
  parts: readonly string[],
  into: Folders,
  write: (path: string) => Promise<EntryRefusal | void>,
): Promise<EntryRefusal | void> {
  const opened = await into.parent(parts);
  if ("refused" in opened) return opened.refused;
  if (await isThere(opened.path)) return "already exists";
  return await write(opened.path);
}

/** Writes a file that gets its name when it is complete. */
async function writeFile(
  { body, mode }: ArchiveEntry,
  path: string,
  into: Folders,
): Promise<EntryRefusal | void> {
  const partial = into.partial(path);
  let complete = false;
  try {
    await writeBody(partial, body);
    await into.permit(partial, fileMode(mode));
    // Another process may have created it during the transfer.
    if (await isThere(path)) return "already exists";
    await Deno.rename(partial, path);
    complete = true;
    into.wrote(path);
  } finally {
    if (!complete) await Deno.remove(partial).catch(() => {}); // it may not exist
  }
}

async function writeBody(
  path: string,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  using file = await Deno.open(path, {
    write: true,
    createNew: true,
    mode: 0o600,
  });
  for await (const chunk of body) writeWhole(file, chunk);
}

/** Synchronous: passing a chunk to another thread takes three times as long as writing it. */
function writeWhole(file: Deno.FsFile, chunk: Uint8Array): void {
  let rest = chunk;
  while (rest.length > 0) rest = rest.subarray(file.writeSync(rest));
}

async function makeLink(
  target: string,
  path: string,
  os: string,
): Promise<void> {
  await Deno.symlink(
    target,
    path,
    os === "windows" ? { type: "file" } : undefined,
  );
}

/** Neither path may contain symlinks, and only files can be hard-linked. */
async function placeHardLink(
  { target }: ArchiveEntry,
  parts: readonly string[],
  into: Folders,
  os: string,
): Promise<EntryRefusal | void> {
  const checked = checkName(target, os);
  const beyond = "is a hard link to something outside the folder";
  if ("refused" in checked || checked.parts.length === 0) return beyond;
  const old = into.written(checked.parts);
  if (old === undefined) {
    return "is a hard link to a file that is not in the archive";
  }
  return await placeNew(parts, into, async (path) => {
    await Deno.link(old, path);
    into.wrote(path);
  });
}

/** File system errors that concern a single entry. */
const refusals: Readonly<Record<string, EntryRefusal>> = {
  EEXIST: "already exists",
  EACCES: "cannot be written: permission denied",
  EPERM: "cannot be written: permission denied",
  ENAMETOOLONG: "has a path that is too long here",
  EILSEQ: "has a name that the file system does not allow",
  EINVAL: "has a name that the file system does not allow",
  EOPNOTSUPP: "is not supported by the file system",
};

/** Converts an error while writing an entry. Throws `OsctlError` if it does not concern this entry alone. */
function toRefusal(error: unknown, path: string): EntryRefusal {
  if (
    !(error instanceof Error) || error instanceof OsctlError ||
    !("code" in error)
  ) throw error;
  const reason = refusals[String(error.code)];
  if (reason !== undefined) return reason;
  throw unwritable(path, error);
}

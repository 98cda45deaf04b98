/** Writes the entries of an archive below a folder, and nowhere else. */

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

/** An entry that was not written. */
export interface RefusedEntry {
  readonly name: string;
  /** Why; completes the sentence "the entry …". */
  readonly reason: EntryRefusal;
}

/**
 * Extracts an archive.
 *
 * No link is followed, be it from the archive or there before; nothing that exists is overwritten. A file gets
 * its name when it is complete. Permissions are kept; owners, times and extended attributes are not.
 *
 * @throws {OsctlError} If something cannot be written, such as for lack of space.
 * @throws What `entries` throws.
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
      // Not before there is something to write.
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

/** Writes one entry; gives the reason when it is refused. */
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

/** The file appears under its name when it is complete. */
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
    // It may have come to be while the node sent.
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

/** At once: handing a chunk to another thread costs three times as much as writing it. */
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

/** Both names are reached without links, and only files get a second name. */
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

/** What the file system says of one entry, and does not say of the others. */
const refusals: Readonly<Record<string, EntryRefusal>> = {
  EEXIST: "already exists",
  EACCES: "cannot be written: permission denied",
  EPERM: "cannot be written: permission denied",
  ENAMETOOLONG: "has a path that is too long here",
  EILSEQ: "has a name that the file system does not allow",
  EINVAL: "has a name that the file system does not allow",
  EOPNOTSUPP: "is not supported by the file system",
};

/** Judges what was thrown while an entry was written. Throws `OsctlError` if it is not about this entry alone. */
function toRefusal(error: unknown, path: string): EntryRefusal {
  if (
    !(error instanceof Error) || error instanceof OsctlError ||
    !("code" in error)
  ) throw error;
  const reason = refusals[String(error.code)];
  if (reason !== undefined) return reason;
  throw unwritable(path, error);
}

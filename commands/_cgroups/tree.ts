/** Reads the cgroups (version 2) of a node from an archive of their file system. */

import { OsctlError } from "../../errors.ts";
import type { ArchiveEntry } from "../../lib/archive/entries.ts";

/** A cgroup. */
export interface Cgroup {
  /** Path below the cgroup root; empty for the root. */
  readonly path: string;
  /** Directory name, or the name it stands for; `.` for the root. */
  readonly name: string;
  /** File contents by name: `memory.current`. */
  readonly files: ReadonlyMap<string, string>;
  /** Child cgroups, sorted by name. */
  readonly children: readonly Cgroup[];
}

/** Limit for the text of all files, in bytes. A node with 500 containers has 10 MB. */
const largest = 256 * 1024 * 1024;

/**
 * Reads cgroups.
 *
 * @param entries The archive of `/sys/fs/cgroup`.
 * @param wanted Names of files to keep.
 * @param toDisplayName Maps a directory name to a display name; returns unknown names unchanged.
 * @returns The root.
 * @throws {OsctlError} If there are more than 256 MiB of text.
 */
export async function readCgroups(
  entries: AsyncIterable<ArchiveEntry>,
  wanted: ReadonlySet<string>,
  toDisplayName: (folder: string) => string = (folder) => folder,
): Promise<Cgroup> {
  const root = draft("", ".");
  let size = 0;
  for await (const { name, kind, body } of entries) {
    const parts = name.split("/").filter((part) => part !== "" && part !== ".");
    const file = kind === "file" ? parts.pop() : undefined;
    if (kind !== "file" && kind !== "folder") continue;
    const group = parts.reduce(
      (group, part) => addChild(group, part, toDisplayName),
      root,
    );
    if (file === undefined || !wanted.has(file)) continue;
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of body) {
      size += chunk.length;
      if (size > largest) {
        throw new OsctlError("The control group data exceeds 256 MiB");
      }
      text += decoder.decode(chunk, { stream: true });
    }
    group.files.set(file, text + decoder.decode());
  }
  return toCgroup(root);
}

interface Draft {
  readonly path: string;
  readonly name: string;
  readonly files: Map<string, string>;
  readonly children: Map<string, Draft>;
}

function draft(path: string, name: string): Draft {
  return { path, name, files: new Map(), children: new Map() };
}

function addChild(
  { path, children }: Draft,
  folder: string,
  nameOf: (folder: string) => string,
): Draft {
  const known = children.get(folder);
  if (known) return known;
  const child = draft(
    path === "" ? folder : `${path}/${folder}`,
    nameOf(folder),
  );
  children.set(folder, child);
  return child;
}

function toCgroup({ path, name, files, children }: Draft): Cgroup {
  const sorted = [...children.values()].sort((a, b) =>
    Number(a.name > b.name) - Number(a.name < b.name)
  );
  return { path, name, files, children: sorted.map(toCgroup) };
}

interface PlacedCgroup {
  readonly group: Cgroup;
  /** Parent; absent for the root. */
  readonly parent?: Cgroup;
  /** Tree lines before its name: `│   └──`. */
  readonly branch: string;
}

/** All cgroups, parents before children. */
export function* walkCgroups(root: Cgroup): Generator<PlacedCgroup> {
  yield { group: root, branch: "" };
  yield* below(root, "");
}

function* below(parent: Cgroup, lines: string): Generator<PlacedCgroup> {
  for (const [index, group] of parent.children.entries()) {
    const isLast = index === parent.children.length - 1;
    yield { group, parent, branch: `${lines}${isLast ? "└──" : "├──"}` };
    yield* below(group, `${lines}${isLast ? "    " : "│   "}`);
  }
}

/**
 * Reads a value of a cgroup.
 *
 * @param path File; file and key; or file, key and key within: `memory.current`, `cpu.stat/user_usec`,
 * `io.pressure/some/avg10`.
 * @returns Text as the kernel wrote it: a number or `max`; for a file, its first line. `undefined` if there is none.
 */
export function valueAt(
  { files }: Pick<Cgroup, "files">,
  path: string,
): string | undefined {
  const [file = "", key, inner] = path.split("/");
  const lines = files.get(file)?.split("\n") ?? [];
  if (key === undefined) return lines[0] === "" ? undefined : lines[0];
  const line = lines.find((line) => line.startsWith(`${key} `));
  const rest = line?.slice(key.length + 1);
  if (inner === undefined || rest === undefined) return rest;
  return rest.split(" ").find((pair) => pair.startsWith(`${inner}=`))
    ?.slice(inner.length + 1);
}

/** Sorted keys of a file, such as the devices of `io.stat`, without keys that have no values. */
export function keysIn(
  { files }: Pick<Cgroup, "files">,
  file: string,
): readonly string[] {
  const lines = files.get(file)?.split("\n") ?? [];
  return lines.flatMap((line) => {
    const [key = "", ...values] = line.split(" ");
    return values.some((value) => value !== "") ? [key] : [];
  }).sort();
}

/** Lines of a file: processes of `cgroup.procs`. */
export function readLines(
  { files }: Pick<Cgroup, "files">,
  file: string,
): readonly string[] {
  return files.get(file)?.split("\n").filter((line) => line !== "") ?? [];
}

/** Lookup and walk of files, with the errors of a kernel. */

import { RpcError } from "../../errors.ts";
import type { SimulatedNode } from "../state/node.ts";
import { directory, type FileEntry, listEntries } from "../state/file_entry.ts";
import { rootDirectory } from "./tree.ts";

/** A file with its path. */
export interface FoundFile {
  /** Absolute path, with links resolved. */
  readonly path: string;
  readonly entry: FileEntry<SimulatedNode>;
  readonly label: string;
}

/** A file found by a walk. */
export interface WalkedFile extends FoundFile {
  /** Path relative to the start of the walk; `.` for the start. */
  readonly relative: string;
}

const maxLinks = 40;

/**
 * Finds a file.
 *
 * @param path Absolute path; `.` and `..` are resolved first.
 * @param operation System call for the error: `stat`, `lstat`.
 * @throws {RpcError} NOT_FOUND if there is none, in the kernel's words.
 */
export function findFile(
  node: SimulatedNode,
  path: string,
  { follow, operation }: {
    readonly follow: boolean;
    readonly operation: string;
  },
): FoundFile {
  let rest = splitParts(path);
  let found = makeRoot();
  for (let links = 0; rest.length > 0;) {
    const [name = "", ...more] = rest;
    const child = name === ".."
      ? parent(node, found)
      : findChild(node, found, name);
    if (!child) {
      throw new RpcError(
        "NOT_FOUND",
        `${operation} ${path}: no such file or directory`,
      );
    }
    rest = more;
    if (child.entry.kind === "link" && (follow || rest.length > 0)) {
      if (++links > maxLinks) {
        throw new RpcError(
          "UNKNOWN",
          `${operation} ${path}: too many levels of symbolic links`,
        );
      }
      const { target } = child.entry;
      if (target.startsWith("/")) found = makeRoot();
      rest = [...target.split("/").filter(isName), ...rest];
    } else found = child;
  }
  return found;
}

/**
 * Walks a file and everything below it, directories first, by name.
 *
 * @param depth Number of directory levels below the first to descend into; -1 for all.
 */
export function* walkFiles(
  node: SimulatedNode,
  start: FoundFile,
  depth: number,
): Generator<WalkedFile> {
  const isDirectory = start.entry.kind === "directory";
  const relative = isDirectory ? "." : findBase(start.path);
  yield { ...start, relative };
  if (isDirectory) yield* below(node, start, { depth, prefix: "" });
}

function* below(
  node: SimulatedNode,
  found: FoundFile,
  { depth, prefix }: { readonly depth: number; readonly prefix: string },
): Generator<WalkedFile> {
  for (const name of namesIn(node, found)) {
    const child = findChild(node, found, name);
    if (!child) continue;
    const relative = `${prefix}${name}`;
    yield { ...child, relative };
    const isAtEnd = depth >= 0 && relative.split("/").length >= depth;
    if (child.entry.kind === "directory" && !isAtEnd) {
      yield* below(node, child, { depth, prefix: `${relative}/` });
    }
  }
}

function findBase(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function makeRoot(): FoundFile {
  return { path: "/", entry: rootDirectory, label: selinuxLabel("rootfs_t") };
}

function findChild(
  node: SimulatedNode,
  { path, entry, label }: FoundFile,
  name: string,
): FoundFile | undefined {
  if (entry.kind !== "directory") return undefined;
  const childPath = path === "/" ? `/${name}` : `${path}/${name}`;
  const entries = listEntries(node, entry);
  const own = Object.hasOwn(entries, name) ? entries[name] : undefined;
  const child = node.files.get(childPath) ?? own ?? impliedBy(node, childPath);
  return child && {
    path: childPath,
    entry: child,
    label: child.label ? selinuxLabel(child.label) : label,
  };
}

/** Creates directories that are implied by their contents. */
function impliedBy(
  { files }: SimulatedNode,
  path: string,
): FileEntry<unknown> | undefined {
  const isImplied = files.keys().some((file) => file.startsWith(`${path}/`));
  return isImplied ? directory({}) : undefined;
}

function parent(node: SimulatedNode, { path }: FoundFile): FoundFile {
  const above = path.slice(0, path.lastIndexOf("/"));
  return findFile(node, above || "/", { follow: true, operation: "stat" });
}

/** Names in a directory, including files specific to the node. */
function namesIn(
  node: SimulatedNode,
  { path, entry }: FoundFile,
): readonly string[] {
  if (entry.kind !== "directory") return [];
  const prefix = path === "/" ? "/" : `${path}/`;
  const own = [...node.files.keys()].flatMap((file) =>
    file.startsWith(prefix) ? file.slice(prefix.length).split("/")[0] ?? [] : []
  );
  const names = Object.keys(listEntries(node, entry));
  return [...new Set([...names, ...own])].sort();
}

function splitParts(path: string): readonly string[] {
  return path.split("/").filter(isName);
}

function isName(part: string): boolean {
  return part !== "" && part !== ".";
}

function selinuxLabel(type: string): string {
  return `system_u:object_r:${type}:s0`;
}

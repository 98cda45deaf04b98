/** Files: `List`, `Read`, `Copy` and `DiskUsage`. */

import { RpcError } from "../../errors.ts";
import {
  type DeepPartial,
  type DiskUsageInfo,
  type DiskUsageRequest,
  ListRequest_Type as Type,
} from "../../transport/gen/machine_files.ts";
import { archive } from "../files/archive.ts";
import { type FileEntry, sizeIn } from "../state/file_entry.ts";
import { findFile, type WalkedFile, walkFiles } from "../files/walk.ts";
import type { SimulatedNode } from "../state/node.ts";
import type { MachineHandlers, NodeCall } from "./handlers.ts";
import { chunks } from "./byte_stream.ts";

/** `List`, `Read`, `Copy` and `DiskUsage`. */
export const files: MachineHandlers = {
  async *list(request, { node }) {
    const start = findStart(node, absolute(request.root));
    const depth = request.recurse ? request.recursionDepth || -1 : 0;
    for (
      const walked of walkFiles(
        node,
        start,
        depth < 0 ? -1 : Math.max(depth, 1),
      )
    ) {
      if (
        request.types.length > 0 &&
        !request.types.some((type) => isKind(walked.entry, type))
      ) continue;
      yield fileInfo(node, walked, request.reportXattrs);
    }
  },
  async *read({ path }, { node }) {
    const { entry } = findFile(node, path, { follow: true, operation: "stat" });
    if (entry.kind !== "file") {
      throw new RpcError("UNKNOWN", "path must be a regular file");
    }
    if (!entry.read) {
      throw new RpcError("UNKNOWN", `open ${path}: permission denied`);
    }
    yield* chunks(node, entry.read(node));
  },
  async *copy({ rootPath }, { node, signal }) {
    const path = absolute(rootPath);
    if (!rootPath.startsWith("/")) {
      throw new RpcError("UNKNOWN", `path is not absolute ${rootPath}`);
    }
    let error: string | undefined;
    const onSkipped = (text: string) => error = text;
    try {
      yield* chunks(
        node,
        archive(node, findStart(node, path), { signal, onSkipped }),
      );
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause;
      error = cause.message;
    }
    if (error !== undefined) yield { metadata: { error } };
  },
  diskUsage,
};

/** Finds the start of a walk, following links; a missing file is reported as `lstat`. */
function findStart(node: SimulatedNode, path: string) {
  try {
    return findFile(node, path, { follow: true, operation: "lstat" });
  } catch (error) {
    // Only `Read` reports missing files separately.
    throw error instanceof RpcError
      ? new RpcError("UNKNOWN", error.message)
      : error;
  }
}

function absolute(path: string): string {
  const complete = path.startsWith("/") ? path : `/${path}`;
  return complete.replace(/\/$/, "") || "/";
}

function isKind({ kind }: FileEntry<never>, type: Type): boolean {
  if (type === Type.DIRECTORY) return kind === "directory";
  if (type === Type.SYMLINK) return kind === "link";
  return kind === "file";
}

function fileInfo(
  node: SimulatedNode,
  { path, relative, entry, label }: WalkedFile,
  reportXattrs: boolean,
) {
  const data = new TextEncoder().encode(`${label}\0`);
  return {
    name: path,
    relativeName: relative,
    size: BigInt(sizeIn(node, entry)),
    mode: findMode(entry),
    modified: BigInt(Math.floor(node.boot.startedAt / 1000)),
    isDir: entry.kind === "directory",
    link: entry.kind === "link" ? entry.target : "",
    uid: entry.owner ?? 0,
    gid: entry.owner ?? 0,
    xattrs: reportXattrs ? [{ name: "security.selinux", data }] : [],
  };
}

/** Mode bits as in Go's `FileMode`, which nodes send. */
function findMode(entry: FileEntry<never>): number {
  const sticky = ((entry.permissions ?? 0) & 0o1000) === 0 ? 0 : 2 ** 20;
  const permissions = (entry.permissions ?? 0o644) & 0o777;
  switch (entry.kind) {
    case "directory":
      return 2 ** 31 + sticky + ((entry.permissions ?? 0o755) & 0o777);
    case "link":
      return 2 ** 27 + 0o777;
    case "device":
      return 2 ** 26 + (entry.isCharacter ? 2 ** 21 : 0) + permissions;
    case "file":
      return permissions;
  }
}

/** `DiskUsage`; like a node, it only reports the first path. */
export async function* diskUsage(
  request: DiskUsageRequest,
  { node }: NodeCall,
): AsyncGenerator<DeepPartial<DiskUsageInfo>> {
  const [first] = request.paths;
  if (first === undefined) return;
  const path =
    (first.startsWith("/") ? first : `/${first}`).replace(/\/$/, "") || "/";
  try {
    const start = findFile(node, path, { follow: true, operation: "lstat" });
    for (const usage of measureSizes(node, walkFiles(node, start, -1))) {
      if (isWanted(usage, request)) yield usage;
    }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    yield { name: path, relativeName: path, error: error.message };
  }
}

interface FileUsage {
  readonly name: string;
  readonly relativeName: string;
  size: bigint;
  readonly depth: number;
  readonly isDirectory: boolean;
}

/** Yields every file, and every directory after its contents, with total sizes. */
function* measureSizes(
  node: SimulatedNode,
  walked: Iterable<WalkedFile>,
): Generator<FileUsage> {
  const open: FileUsage[] = [];
  for (const step of walked) {
    while (open.length > 0 && !isBelow(step, open)) yield close(open);
    open.push(measureUsage(node, step));
    if (step.entry.kind !== "directory") yield close(open);
  }
  while (open.length > 0) yield close(open);
}

function isBelow({ path }: WalkedFile, open: readonly FileUsage[]): boolean {
  const above = open.at(-1)?.name ?? "";
  return path.startsWith(above === "/" ? above : `${above}/`);
}

/** Removes the innermost entry and adds its size to its parent directory. */
function close(open: FileUsage[]): FileUsage {
  const usage = open.pop()!; // called only while one is open
  const parent = open.at(-1);
  if (parent) parent.size += usage.size;
  return usage;
}

function measureUsage(
  node: SimulatedNode,
  { path: name, relative: relativeName, entry }: WalkedFile,
): FileUsage {
  return {
    name,
    relativeName,
    size: BigInt(sizeIn(node, entry)),
    depth: relativeName === "." ? 0 : relativeName.split("/").length,
    isDirectory: entry.kind === "directory",
  };
}

function isWanted(
  { size, depth, isDirectory }: FileUsage,
  { recursionDepth, all, threshold }: DiskUsageRequest,
): boolean {
  if (recursionDepth > 0 && depth >= recursionDepth) return false;
  if (!isDirectory && !all) return false;
  if (threshold > 0n && size < threshold) return false;
  return !(threshold < 0n && size > -threshold);
}

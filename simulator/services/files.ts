/** Files over the wire: `List`, `Read`, `Copy` and `DiskUsage`. */

import { RpcError } from "../../errors.ts";
import { ListRequest_Type as Type } from "../../transport/gen/machine.ts";
import { type Entry, sizeIn } from "../files/entry.ts";
import { archive } from "../files/archive.ts";
import { find, walk, type Walked } from "../files/walk.ts";
import type { MachineHandlers } from "../wire/handlers.ts";
import type { SimulatedNode } from "../node/node.ts";
import { chunks } from "./byte_stream.ts";
import { diskUsage } from "./disk_usage.ts";

/** `List`, `Read`, `Copy` and `DiskUsage`. */
export const files: MachineHandlers = {
  async *list(request, { node }) {
    const start = found(node, absolute(request.root));
    const depth = request.recurse ? request.recursionDepth || -1 : 0;
    for (
      const walked of walk(node, start, depth < 0 ? -1 : Math.max(depth, 1))
    ) {
      if (
        request.types.length > 0 &&
        !request.types.some((type) => isOf(walked.entry, type))
      ) continue;
      yield listed(node, walked, request.reportXattrs);
    }
  },
  async *read({ path }, { node }) {
    const { entry } = find(node, path, { follow: true, operation: "stat" });
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
        archive(node, found(node, path), { signal, onSkipped }),
      );
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause;
      error = cause.message;
    }
    if (error !== undefined) yield { metadata: { error } };
  },
  diskUsage,
};

/** A walk begins behind a link, but says `lstat` when there is nothing. */
function found(node: SimulatedNode, path: string) {
  try {
    return find(node, path, { follow: true, operation: "lstat" });
  } catch (error) {
    // Only reading a single file tells missing files apart.
    throw error instanceof RpcError
      ? new RpcError("UNKNOWN", error.message)
      : error;
  }
}

function absolute(path: string): string {
  const complete = path.startsWith("/") ? path : `/${path}`;
  return complete.replace(/\/$/, "") || "/";
}

function isOf({ kind }: Entry<never>, type: Type): boolean {
  if (type === Type.DIRECTORY) return kind === "directory";
  if (type === Type.SYMLINK) return kind === "link";
  return kind === "file";
}

function listed(
  node: SimulatedNode,
  { path, relative, entry, label }: Walked,
  reportXattrs: boolean,
) {
  const data = new TextEncoder().encode(`${label}\0`);
  return {
    name: path,
    relativeName: relative,
    size: BigInt(sizeIn(node, entry)),
    mode: modeOf(entry),
    modified: BigInt(Math.floor(node.boot.startedAt / 1000)),
    isDir: entry.kind === "directory",
    link: entry.kind === "link" ? entry.target : "",
    uid: entry.owner ?? 0,
    gid: entry.owner ?? 0,
    xattrs: reportXattrs ? [{ name: "security.selinux", data }] : [],
  };
}

/** Mode bits in the order of Go's `FileMode`, which is what nodes send. */
function modeOf(entry: Entry<never>): number {
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

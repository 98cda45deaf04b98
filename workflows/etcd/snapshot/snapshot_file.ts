/** Snapshots as files: read piece by piece, and written whole and verified, or not at all. */

import { createHash } from "node:crypto";
import {
  createFile,
  removeIfThere,
  splitPath,
  syncFolder,
  temporaryBeside,
  unwritable,
} from "../../../lib/files/atomic_file.ts";
import { writeAll } from "../../../lib/files/write_all.ts";
import { ConnectError, OsctlError, RpcError } from "../../../errors.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { payload } from "../../../transport/call/payload.ts";
import { openRegular, readPieces } from "./open_file.ts";
import { type SnapshotStatus, verifySnapshot } from "./verify.ts";
import { receiving } from "../../../transport/call/open_calls.ts";

/** A file that is whole. */
export interface VerifiedFile {
  readonly file: string;
  /** SHA-256 of all of it, 64 hexadecimal digits. */
  readonly sha256: string;
  readonly status: SnapshotStatus;
}

/**
 * Saves a snapshot of a node's etcd; the file gets its name only when its checksum and every page are right.
 *
 * @param client Client of a control plane. Source: `MachineService.EtcdSnapshot`.
 * @param path Where to; a file that is there is replaced.
 * @throws {OsctlError} If the file cannot be written, or what arrived is damaged.
 */
export async function saveSnapshot(
  { machine, node }: Pick<NodeClient, "machine" | "node">,
  path: string,
  signal: AbortSignal,
): Promise<SnapshotStatus> {
  async function* received() {
    try {
      const sent = payload(machine.etcdSnapshot({}, { signal }));
      yield* receiving(`etcd snapshot from ${node}`, sent);
    } catch (error) {
      throw unsent(node, error);
    }
  }
  // The file of that name stays as it was, so it is not what is called damaged.
  const subject = `What the node sent for "${path}"`;
  const { status } = await writeVerified(received(), path, {
    signal,
    subject,
    trailer: true,
  });
  return status;
}

function unsent(node: string, error: unknown): unknown {
  const isOfNode = error instanceof RpcError || error instanceof ConnectError;
  if (!isOfNode) return error;
  // No other member would take the certificate either.
  const isDenied = error instanceof RpcError &&
    error.code === "PERMISSION_DENIED";
  return new OsctlError(
    `Cannot take a snapshot of "${node}": ${error.message}`,
    {
      ...!isDenied && {
        hint: error.hint ??
          "Nothing was written; choose another member with --nodes",
      },
      cause: error,
    },
  );
}

/**
 * Copies a database; the file gets its name only when every page is right, and then survives a crash.
 *
 * @param path Where to; a file that is there is replaced.
 * @throws {OsctlError} If it cannot be written, or is damaged.
 */
export function copyVerified(
  content: AsyncIterable<Uint8Array>,
  path: string,
  signal: AbortSignal,
): Promise<VerifiedFile> {
  const subject = `The copy for "${path}"`;
  return writeVerified(content, path, { signal, subject, trailer: false });
}

async function writeVerified(
  content: AsyncIterable<Uint8Array>,
  path: string,
  { signal, subject, trailer }: {
    readonly signal: AbortSignal;
    readonly subject: string;
    readonly trailer: boolean;
  },
): Promise<VerifiedFile> {
  const old = await Deno.stat(path).catch(() => undefined);
  // A rename would put a file in the place of a device such as /dev/null.
  if (old !== undefined && !old.isFile) {
    throw new OsctlError(`Cannot write "${path}": it is not a regular file`);
  }
  const part = temporaryBeside(path);
  try {
    const sha256 = await write(content, part, signal);
    const status = await verifySnapshot(part, signal, subject);
    // Nodes end what they send with a checksum, so what ends before it is not all.
    if (trailer && status.trailer === "absent") {
      throw new OsctlError(
        `Cannot write "${path}": the node's snapshot ends without its SHA-256`,
        { hint: "Take another snapshot" },
      );
    }
    await Deno.rename(part, path);
    await syncFolder(splitPath(path)[0]);
    return { file: path, sha256, status };
  } catch (error) {
    throw unwritable(path, error);
  } finally {
    await removeIfThere(part);
  }
}

async function write(
  content: AsyncIterable<Uint8Array>,
  part: string,
  signal: AbortSignal,
): Promise<string> {
  using file = await createFile(part);
  const hash = createHash("sha256");
  for await (const bytes of content) {
    signal.throwIfAborted();
    hash.update(bytes);
    await writeAll(file, bytes);
  }
  await file.sync();
  return hash.digest("hex");
}

/** Hashes a file of any size. Returns SHA-256, 64 hexadecimal digits. Throws `ConfigError` if it may not be read. */
export async function fileHash(
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of fileBytes(path, signal)) hash.update(bytes);
  return hash.digest("hex");
}

/**
 * Reads a file piece by piece; each piece is valid until the next.
 *
 * @param pieceSize Most bytes at once.
 * @throws {ConfigError} If it may not be read, or is none.
 */
export async function* fileBytes(
  path: string,
  signal: AbortSignal,
  pieceSize?: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { file: opened } = await openRegular(path);
  using file = opened;
  yield* readPieces(file, path, signal, pieceSize);
}

/** Cuts a snapshot into messages of 64 KiB for a node. Throws `ConfigError` if the file may not be read. */
export async function* snapshotMessages(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<{
  /** The next bytes of the file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}> {
  for await (const bytes of fileBytes(path, signal, 64 * 1024)) {
    yield { bytes: bytes.slice() };
  }
}

/** When a file was last written. Returns ISO 8601; `undefined` when the system does not say. */
export async function writtenAt(path: string): Promise<string | undefined> {
  return (await Deno.stat(path)).mtime?.toISOString();
}

/** Snapshot files: read in chunks, and written only when complete and verified. */

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

/** A verified file. */
export interface VerifiedFile {
  readonly file: string;
  /** SHA-256 of the file, 64 hexadecimal digits. */
  readonly sha256: string;
  readonly status: SnapshotStatus;
}

/**
 * Saves a snapshot of a node's etcd; the file appears under its name only after its checksum and every page were
 * verified.
 *
 * @param client Client of a control plane. Source: `MachineService.EtcdSnapshot`.
 * @param path Target; an existing file is replaced.
 * @throws {OsctlError} If the file cannot be written, or the received data is damaged.
 */
export async function saveSnapshot(
  { machine, node }: Pick<NodeClient, "machine" | "node">,
  path: string,
  signal: AbortSignal,
): Promise<SnapshotStatus> {
  async function* receive() {
    try {
      const sent = payload(machine.etcdSnapshot({}, { signal }));
      yield* receiving(`etcd snapshot from ${node}`, sent);
    } catch (error) {
      throw unsent(node, error);
    }
  }
  // The existing file is unchanged, so errors must not call it damaged.
  const subject = `What the node sent for "${path}"`;
  const { status } = await writeVerified(receive(), path, {
    signal,
    subject,
    trailer: true,
  });
  return status;
}

function unsent(node: string, error: unknown): unknown {
  const isOfNode = error instanceof RpcError || error instanceof ConnectError;
  if (!isOfNode) return error;
  // No other member would accept the certificate either.
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
 * Copies a database; the file appears under its name only after every page was verified and synced to disk.
 *
 * @param path Target; an existing file is replaced.
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
  // A rename would replace a device such as /dev/null by a file.
  if (old !== undefined && !old.isFile) {
    throw new OsctlError(`Cannot write "${path}": it is not a regular file`);
  }
  const part = temporaryBeside(path);
  try {
    const sha256 = await write(content, part, signal);
    const status = await verifySnapshot(part, signal, subject);
    // Nodes send a checksum last; without one the stream was truncated.
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

/** Hashes a file of any size. Returns SHA-256, 64 hexadecimal digits. Throws `ConfigError` if it cannot be read. */
export async function fileHash(
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of fileBytes(path, signal)) hash.update(bytes);
  return hash.digest("hex");
}

/**
 * Reads a file in chunks; each chunk is valid until the next.
 *
 * @param pieceSize Maximum chunk size in bytes.
 * @throws {ConfigError} If it cannot be read, or is not a regular file.
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

/** Splits a snapshot into messages of 64 KiB for a node. Throws `ConfigError` if the file cannot be read. */
export async function* snapshotMessages(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<{
  readonly bytes: Uint8Array<ArrayBuffer>;
}> {
  for await (const bytes of fileBytes(path, signal, 64 * 1024)) {
    yield { bytes: bytes.slice() };
  }
}

/** Modification time of a file. Returns ISO 8601; `undefined` if the system does not report it. */
export async function writtenAt(path: string): Promise<string | undefined> {
  return (await Deno.stat(path)).mtime?.toISOString();
}

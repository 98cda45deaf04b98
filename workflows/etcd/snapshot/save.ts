/** Taking a snapshot from a node: a file that is whole, or none. */

import {
  removeIfThere,
  unwritable,
} from "../../../config/files/atomic_file.ts";
import { ConnectError, OsctlError, RpcError } from "../../../errors.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { payload } from "../../../transport/call/payload.ts";
import { type SnapshotStatus, verifySnapshot } from "./verify.ts";

/**
 * Writes a snapshot of a node's etcd to a file.
 *
 * What arrives goes to a file beside it, readable by nobody else; only when
 * its checksum and every page of the database are right does it take the name.
 *
 * @param client Client of a control plane. Source: `MachineService.EtcdSnapshot`.
 * @param path Where to; a file that is there is replaced.
 * @param signal Ends it; nothing is left then.
 * @returns What is in the snapshot.
 * @throws {OsctlError} If the file cannot be written, or what arrived is damaged.
 */
export async function saveSnapshot(
  client: Pick<NodeClient, "machine" | "node">,
  path: string,
  signal: AbortSignal,
): Promise<SnapshotStatus> {
  const part = `${path}.part`;
  try {
    await receive(client, part, signal);
    const status = await verifySnapshot(part, signal, sentFor(path));
    if (status.trailer === "absent") throw incomplete(path);
    await Deno.rename(part, path);
    return status;
  } catch (error) {
    throw unwritable(path, error);
  } finally {
    await removeIfThere(part);
  }
}

/** What is called damaged is not the file of that name, which stays as it was. */
function sentFor(path: string): string {
  return `What the node sent for "${path}"`;
}

/** Nodes end what they send with a checksum, so what ends before it is not all. */
function incomplete(path: string): OsctlError {
  return new OsctlError(
    `Cannot write "${path}": the node's snapshot ends without its SHA-256`,
    { hint: "Take another" },
  );
}

async function receive(
  { machine, node }: Pick<NodeClient, "machine" | "node">,
  part: string,
  signal: AbortSignal,
): Promise<void> {
  using file = await Deno.open(part, {
    write: true,
    create: true,
    truncate: true,
    mode: 0o600,
  });
  try {
    for await (const bytes of payload(machine.etcdSnapshot({}, { signal }))) {
      let rest = bytes;
      while (rest.length > 0) rest = rest.subarray(await file.write(rest));
    }
  } catch (error) {
    throw unsent(node, error);
  }
  await file.sync();
}

function unsent(node: string, error: unknown): unknown {
  const isOfNode = error instanceof RpcError || error instanceof ConnectError;
  if (!isOfNode) return error;
  return new OsctlError(
    `Cannot take a snapshot of "${node}": ${error.message}`,
    {
      hint: error.hint ?? "Nothing was written; --nodes asks another member",
      cause: error,
    },
  );
}

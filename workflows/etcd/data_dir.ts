/** etcd data directory of a node. */

import { RpcError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { failureKind } from "../../transport/call/retryable.ts";

/** Timeout for the first request to a node that may be gone, in milliseconds. */
const firstMs = 5_000;

/**
 * Reads the state of a node's etcd data directory.
 *
 * @param client Client of the node. Source: `MachineService.List`.
 * @returns `unknown` when the node does not show it.
 * @throws {OsctlError} If the node does not answer.
 */
export async function readDataDir(
  client: Pick<NodeClient, "machine">,
): Promise<"empty" | "data" | "unknown"> {
  const inside = await namesIn(client, "/var/lib/etcd");
  if (inside !== undefined) return inside.length === 0 ? "empty" : "data";
  // A missing folder fails with the same error as a hidden one.
  const beside = await namesIn(client, "/var/lib");
  return beside === undefined || beside.includes("etcd") ? "unknown" : "empty";
}

/** Names in a folder; `undefined` when the node does not show it. */
async function namesIn(
  { machine }: Pick<NodeClient, "machine">,
  root: string,
): Promise<readonly string[] | undefined> {
  const names: string[] = [];
  try {
    const options = { deadlineMs: firstMs };
    for await (const entry of machine.list({ root }, options)) {
      if (entry.error !== "") return undefined;
      names.push(entry.relativeName);
    }
  } catch (error) {
    if (error instanceof RpcError && failureKind(error) !== "away") {
      return undefined;
    }
    throw error;
  }
  // The first entry is the folder itself.
  return names.filter((name) => !["", ".", root].includes(name));
}

/** Nodes that have no configuration, or have lost it: they are in no cluster, and are asked directly. */

import { ConnectError, RpcError } from "../../errors.ts";
import { single } from "../../transport/call/reply.ts";
import type { Site } from "./operation.ts";

/** Longest time for an answer, in milliseconds. */
const deadlineMs = 5_000;

/** What a node says that is asked past its cluster. */
export type Bare =
  | {
    /** Version it runs; empty when it does not tell strangers. */
    readonly version: string;
  }
  | {
    /** Why it is not known to wait for a configuration. */
    readonly failure: RpcError | ConnectError;
  };

/**
 * Asks a node itself whether it waits for a configuration; no other can speak for it.
 *
 * @returns The version it runs, or what kept it from answering.
 */
export async function askBare(
  { node, cluster }: Pick<Site, "node" | "cluster">,
): Promise<Bare> {
  try {
    const { machine } = await cluster.unconfigured(node);
    const { messages } = await machine.version({}, { deadlineMs });
    return { version: single(messages).version?.tag ?? "" };
  } catch (failure) {
    const isOfNode = failure instanceof RpcError ||
      failure instanceof ConnectError;
    if (!isOfNode) throw failure;
    // Maintenance mode lets strangers in and tells them little; a node with a configuration does not let them in.
    const isShy = failure instanceof RpcError &&
      failure.code === "UNIMPLEMENTED";
    return isShy ? { version: "" } : { failure };
  }
}

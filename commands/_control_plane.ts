/** A control plane that answers, for what any of them can answer. */

import { ConnectError, OsctlError, RpcError, UsageError } from "../errors.ts";
import type { NodeClient } from "../transport/call/client.ts";
import { knownMembers } from "../transport/node/members.ts";
import { setbackOf } from "../transport/call/retryable.ts";
import type { Context } from "./_kit/command.ts";

/** What the choice looks at. */
export type ChoiceContext = Pick<
  Context<unknown>,
  "globals" | "nodes" | "note"
>;

/** What a control plane answered. */
export interface ChosenAnswer<T> {
  /** The control plane as the user, or the cluster, names it. */
  readonly node: string;
  /** What it answered. */
  readonly value: T;
}

/**
 * Asks the node that was named, else one control plane after the other until one answers, and says which.
 *
 * @param context Flags and nodes.
 * @param command Name of the command, for messages.
 * @param ask Asks one of them.
 * @throws {UsageError} If several nodes were named.
 * @throws {OsctlError} What the last one said.
 */
export async function fromControlPlane<T>(
  context: ChoiceContext,
  command: string,
  ask: (client: NodeClient) => Promise<T>,
): Promise<ChosenAnswer<T>> {
  const { globals, nodes, note } = context;
  if (globals.nodes.length > 0) {
    const client = await nodes.only(command);
    return { node: client.node, value: await ask(client) };
  }
  const candidates = await candidatesOf(context);
  if (candidates.length === 0) {
    const client = await nodes.endpoint();
    note(`No control plane is known; asking the endpoint ${client.node}`);
    return { node: client.node, value: await ask(client) };
  }
  let last: unknown;
  for (const node of candidates) {
    note(`Asking the control plane ${node}`);
    try {
      return { node, value: await ask(await nodes.at(node)) };
    } catch (error) {
      if (!isAway(error)) throw error;
      note(`${node} does not answer: ${error.message}`);
      last = error;
    }
  }
  throw last;
}

function isAway(error: unknown): error is RpcError | ConnectError {
  const isOfNode = error instanceof RpcError || error instanceof ConnectError;
  return isOfNode && setbackOf(error) === "away";
}

/** Control planes among the default nodes of the context, then all others. */
async function candidatesOf(
  { nodes }: ChoiceContext,
): Promise<readonly string[]> {
  const defaults = await defaultNodes(nodes);
  try {
    const members = await knownMembers(await nodes.endpoint());
    const controlPlanes = members.filter(({ controlPlane }) => controlPlane)
      .map(({ address, hostname }) =>
        defaults.find((node) => node === address || node === hostname) ??
          address
      );
    return controlPlanes.toSorted((a, b) =>
      Number(defaults.includes(b)) - Number(defaults.includes(a))
    );
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    // Not every role may list the members.
    return defaults;
  }
}

async function defaultNodes(
  nodes: ChoiceContext["nodes"],
): Promise<readonly string[]> {
  try {
    return await nodes.names();
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}

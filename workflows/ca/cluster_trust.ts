/** Current trust lists of all nodes of a cluster. */

import { OsctlError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { readMachineConfiguration } from "../../transport/node/machine_configuration.ts";
import type { NodeContext } from "../operations/operation.ts";
import { type CaKind, readTrust, type TrustList } from "./trust_list.ts";

/** A node's trust list. */
export interface TrustAnswer {
  readonly node: string;
  readonly list: TrustList;
}

/** A node that did not report its trust list. */
export interface SilentNode {
  readonly node: string;
  readonly error: OsctlError;
}

const atOnce = 16;

/** Reads the trust list of a node. */
export async function takeTrust(
  client: NodeClient,
  kind: CaKind,
): Promise<TrustList> {
  return readTrust(await readMachineConfiguration(client), kind);
}

/** Reads the trust lists of nodes. Returns in the order of the nodes. */
export async function trustOfAll(
  cluster: Pick<NodeContext["cluster"], "at">,
  nodes: readonly string[],
  kind: CaKind,
): Promise<readonly (TrustAnswer | SilentNode)[]> {
  const answers: (TrustAnswer | SilentNode)[] = [];
  for (let from = 0; from < nodes.length; from += atOnce) {
    const some = nodes.slice(from, from + atOnce);
    // Bounded concurrency.
    answers.push(
      ...await Promise.all(some.map((node) => ask(cluster, node, kind))),
    );
  }
  return answers;
}

/**
 * Reads the trust lists of all nodes.
 *
 * @throws The error of the first node that failed.
 */
export async function trustOfEach(
  ...asked: Parameters<typeof trustOfAll>
): Promise<readonly TrustAnswer[]> {
  const answers = await trustOfAll(...asked);
  return answers.map((answer) => {
    if ("error" in answer) {
      throw new OsctlError(
        `Cannot read the CAs of ${answer.node}: ${answer.error.message}`,
        { cause: answer.error },
      );
    }
    return answer;
  });
}

async function ask(
  cluster: Pick<NodeContext["cluster"], "at">,
  node: string,
  kind: CaKind,
): Promise<TrustAnswer | SilentNode> {
  try {
    return { node, list: await takeTrust(await cluster.at(node), kind) };
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    return { node, error };
  }
}

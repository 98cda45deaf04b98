/** Members of etcd whose node is gone. */

import { OsctlError } from "../../errors.ts";
import type { Progress, Site, Verdict } from "../operations/operation.ts";

/**
 * Reads which member of etcd a node has.
 *
 * @returns `undefined` for a worker, and where nobody tells.
 */
export async function memberOf(
  { node, cluster }: Pick<Site, "node" | "cluster">,
): Promise<string | undefined> {
  try {
    if (await cluster.roleOf(node) === "worker") return undefined;
    return (await cluster.readEtcd()).memberOf.get(node);
  } catch (error) {
    if (error instanceof OsctlError) return undefined;
    throw error;
  }
}

/** Passes on a wait for the end, and adds to what is said of a node that is done when its member stays in the list. */
export async function* tellingLeftBehind(
  { cluster }: Pick<Site, "cluster">,
  member: string | undefined,
  wait: AsyncGenerator<Progress, Verdict>,
): AsyncGenerator<Progress, Verdict> {
  const verdict = yield* wait;
  if (verdict.outcome !== "done" || member === undefined) return verdict;
  try {
    const { members, healthy } = (await cluster.readEtcd()).facts;
    const isLeft = members.some(({ id }) => id === member) &&
      !healthy.includes(member);
    if (!isLeft) return verdict;
    const reason =
      `${verdict.reason}; etcd still lists its member, take it out with: osctl etcd remove-member ${member}`;
    return { ...verdict, reason };
  } catch (error) {
    if (error instanceof OsctlError) return verdict;
    throw error;
  }
}

import { domain } from "../../dialect.ts";
import { RpcError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { setbackOf } from "../../transport/call/retryable.ts";
import { single } from "../../transport/call/reply.ts";
import type { WireTime } from "../../transport/node/timestamp.ts";
import { readSpec } from "../operations/read_resource.ts";
import type { Check } from "./check.ts";
import {
  answerMs,
  counted,
  groupField,
  groupOf,
  problemsOf,
  unless,
} from "./finding.ts";

/** Greatest difference between a node's clock and its time server, in milliseconds. */
const toleranceMs = 5_000;

/** Whether the clocks of nodes are right. */
export const nodesTimeInSync: Check = {
  name: "nodes.timeInSync",
  summary: "The clocks of all nodes are in sync with their time servers",
  scope: "cluster",
  input: { group: groupField },
  async look(site, input) {
    const nodes = await groupOf(site, input);
    const problems = await problemsOf(site, nodes, clockProblem);
    return unless(problems, `${counted(nodes.length, "node")} in sync`);
  },
};

async function clockProblem(client: NodeClient): Promise<string | undefined> {
  const status = await readSpec(client, {
    namespace: "runtime",
    type: `TimeStatuses.v1alpha1.${domain}`,
    id: "node",
  });
  if (status !== undefined && status.synced !== true) {
    return "the clock is not in sync yet";
  }
  const offset = await offsetOf(client);
  if (offset === undefined || Math.abs(offset) <= toleranceMs) return undefined;
  const seconds = Math.round(Math.abs(offset) / 1_000);
  return `the clock is ${seconds} s ${offset > 0 ? "ahead" : "behind"}`;
}

/** Milliseconds the node is ahead; `undefined` when it cannot reach its time server. */
async function offsetOf(
  { time }: NodeClient,
): Promise<number | undefined> {
  try {
    const answer = await time.time({}, { deadlineMs: answerMs });
    const { localtime, remotetime } = single(answer.messages);
    if (localtime === undefined || remotetime === undefined) return undefined;
    return msOf(localtime) - msOf(remotetime);
  } catch (error) {
    // A node without a way to its time server says so; its own status counts then.
    if (error instanceof RpcError && setbackOf(error) !== "away") {
      return undefined;
    }
    throw error;
  }
}

function msOf({ seconds, nanos }: WireTime): number {
  return Number(seconds) * 1_000 + nanos / 1e6;
}

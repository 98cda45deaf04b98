/** Checks of a node before a configuration on trial is confirmed. */

import type { NodeClient } from "../../transport/call/client.ts";
import { single } from "../../transport/call/reply.ts";
import { readMachineState } from "../../transport/node/machine_state.ts";

/** Names of the checks. */
export const trialChecks = ["etcd", "kubelet", "ready"] as const;

/** Name of a check. */
export type TrialCheck = (typeof trialChecks)[number];

/** Timeout for each request, in milliseconds. */
const deadlineMs = 5_000;

type NodeCheck = (client: NodeClient) => Promise<string | undefined>;

const checks: Readonly<Record<TrialCheck, NodeCheck>> = {
  async etcd({ machine }) {
    const { messages } = await machine.etcdStatus({}, { deadlineMs });
    const { memberStatus } = single(messages);
    const errors = memberStatus?.errors ?? [];
    if (errors.length > 0) return `etcd: ${errors.join(", ")}`;
    return memberStatus?.leader ? undefined : "etcd has no leader";
  },
  async kubelet({ machine }) {
    const { messages } = await machine.serviceList({}, { deadlineMs });
    const service = single(messages).services.find(({ id }) =>
      id === "kubelet"
    );
    if (service?.state !== "Running") return "kubelet is not running";
    return service.health?.healthy ? undefined : "kubelet is not healthy";
  },
  async ready(client) {
    const { ready, stage, unmet } = await readMachineState(client);
    if (ready && stage === "running") return undefined;
    return ["the node is not ready", ...unmet].join(": ");
  },
};

/**
 * Runs checks, one after the other.
 *
 * @returns Finding of the first that fails; `undefined` when all pass.
 * @throws {RpcError} If the node does not answer.
 */
export async function failingCheck(
  client: NodeClient,
  names: readonly TrialCheck[],
): Promise<string | undefined> {
  for (const name of names) {
    const found = await checks[name](client);
    if (found !== undefined) return found;
  }
  return undefined;
}

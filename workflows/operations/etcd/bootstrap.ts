/** Bootstraps etcd on the first control plane, empty or from a snapshot. */

import { ConnectError, RefusedError, RpcError } from "../../../errors.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { single } from "../../../transport/call/reply.ts";
import { memberNamed } from "../../../transport/node/members.ts";
import { snapshotMessages } from "../../etcd/snapshot/snapshot_file.ts";
import type {
  NodeContext,
  Operation,
  OperationProgress,
  PlannedAction,
  Reconciled,
} from "../operation.ts";
import { untilSeen } from "../poll.ts";

/** Input of `bootstrap`. */
export type BootstrapInput = {
  /** Path of a snapshot; null for an empty etcd. */
  readonly recoverFrom: string | null;
  /** CRC-32C of the snapshot's content at the start; null without a snapshot. */
  readonly hash: string | null;
  /** True for copies of a data directory, which have no checksum. */
  readonly skipHashCheck: boolean;
  /** True to ignore other control planes. */
  readonly force: boolean;
  /** Control planes to ask besides those that the cluster knows; absent in older journals. */
  readonly controlPlanes?: readonly string[];
};

/** State of etcd before the bootstrap. */
export interface EtcdSeen {
  readonly here: EtcdState;
  /** Other control planes with a member. */
  readonly members: readonly string[];
  /** Other control planes that do not answer. */
  readonly silent: readonly string[];
}

type EtcdState = "waiting" | "starting" | "running" | "none";

const deadlineMs = 30_000;

/** `bootstrap`. Source: `MachineService.Bootstrap` and `EtcdRecover`. */
export const bootstrap: Operation<BootstrapInput, EtcdSeen, null> = {
  name: "bootstrap",
  // No disruption, but a second bootstrap creates a second cluster: hence journaled.
  effect: "disrupt",
  idempotency: "once",
  quorum: () => "none",
  already: "already bootstrapped",
  observe,
  plan,
  key: () => null,
  async *apply(context, input) {
    if (input.recoverFrom !== null) yield* upload(context, input);
    yield { text: "bootstrapping" };
    const { recoverFrom, skipHashCheck } = input;
    yield* beginEtcd(context, recoverFrom !== null, skipHashCheck);
  },
  reconcile: ({ client }) => reconcile(client),
  verify: (context) =>
    untilSeen(context, async () => {
      const state = await readState(context.client);
      return state === "running"
        ? { verdict: { outcome: "done", reason: "etcd is running" } }
        : { missing: `etcd is ${state}` };
    }),
};

async function observe(
  { node, client, cluster }: NodeContext,
  { controlPlanes = [] }: BootstrapInput,
): Promise<EtcdSeen> {
  const here = await readState(client);
  const known = await cluster.members();
  const own = memberNamed(known, node);
  const others = new Set([
    ...known.filter((one) => one.controlPlane && one !== own)
      .map(({ address }) => address),
    ...controlPlanes.filter((one) => one !== node && one !== own?.address),
  ]);
  const found = await Promise.all([...others].map(async (address) => ({
    address,
    state: await stateAt(cluster, address),
  })));
  const having = (wanted: readonly (EtcdState | undefined)[]) =>
    found.filter(({ state }) => wanted.includes(state))
      .map(({ address }) => address);
  return {
    here,
    members: having(["starting", "running"]),
    silent: having([undefined]),
  };
}

/** `undefined` if the node does not report it. */
async function stateAt(
  cluster: NodeContext["cluster"],
  address: string,
): Promise<EtcdState | undefined> {
  try {
    return await readState(await cluster.at(address));
  } catch (error) {
    const isOfNode = error instanceof RpcError || error instanceof ConnectError;
    if (isOfNode) return undefined;
    throw error;
  }
}

async function readState({ machine }: NodeClient): Promise<EtcdState> {
  const { messages } = await machine.serviceList({}, { deadlineMs });
  const service = single(messages).services.find(({ id }) => id === "etcd");
  if (service === undefined) return "none";
  if (service.state === "Preparing" || service.state === "Waiting") {
    return "waiting";
  }
  const isWell = service.state === "Running" && service.health?.healthy;
  return isWell ? "running" : "starting";
}

function plan(
  { here, members, silent }: EtcdSeen,
  { force, recoverFrom }: BootstrapInput,
): readonly PlannedAction[] {
  if (here === "none") {
    throw new RefusedError("The node is not a control plane", {
      hint: "Bootstrap one control plane",
    });
  }
  if (here === "running") {
    if (recoverFrom === null) return [];
    throw new RefusedError("etcd already runs with its own data", {
      hint:
        "Nothing was sent; recover from a snapshot only on control planes without data",
    });
  }
  const [member] = members;
  if (member !== undefined && !force) {
    throw new RefusedError(`etcd already exists on ${member}`, {
      hint:
        "A second bootstrap would create a second etcd cluster; to do it anyway: --force",
    });
  }
  const [quiet] = silent;
  if (quiet !== undefined && !force) {
    throw new RefusedError(
      `${quiet} does not report whether it has etcd data`,
      {
        hint: "Bring the node back, or pass --force if it has none",
      },
    );
  }
  return [{ action: "bootstrap etcd" }];
}

async function* upload(
  { client, signal }: NodeContext,
  { recoverFrom }: BootstrapInput,
): AsyncGenerator<OperationProgress> {
  yield { text: `sending ${recoverFrom}` };
  const messages = snapshotMessages(recoverFrom ?? "", signal);
  await client.machine.etcdRecover(messages, { deadlineMs: 0 });
}

/**
 * Starts etcd. Retries until the node's services run and its clock is in sync.
 *
 * @param recoverEtcd True to recover from the uploaded snapshot.
 * @param isOurs True when a running etcd can only be from our earlier attempt.
 */
export async function* beginEtcd(
  { client, clock, signal }: Pick<NodeContext, "client" | "clock" | "signal">,
  recoverEtcd: boolean,
  recoverSkipHashCheck: boolean,
  isOurs = !recoverEtcd,
): AsyncGenerator<OperationProgress, void> {
  const request = { recoverEtcd, recoverSkipHashCheck };
  while (true) {
    try {
      await client.machine.bootstrap(request, { deadlineMs });
      return;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      // Another process, perhaps an earlier attempt, was faster: the state decides. It does not show whose data it is.
      if (error.code === "ALREADY_EXISTS" && isOurs) return;
      if (error.code !== "FAILED_PRECONDITION" || signal.aborted) throw error;
      yield { text: `waiting: ${error.message}` };
    }
    await clock.sleep(1_000, signal);
  }
}

async function reconcile(client: NodeClient): Promise<Reconciled> {
  switch (await readState(client)) {
    case "running":
      return "done";
    case "starting":
      return "in-progress";
    case "waiting":
      return "not-started";
    case "none":
      return "unknown";
  }
}

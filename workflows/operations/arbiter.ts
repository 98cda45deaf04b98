/** Decides which nodes may be disrupted, and when. */

import type {
  AnyOperation,
  Effect,
  NodeContext,
  OperationProgress,
} from "./operation.ts";
import {
  type Allowance,
  mayBeRemoved,
  mayLeave,
  type QuorumEffect,
  type Refusal,
  removesMember,
} from "../etcd/quorum.ts";
import type { OperationClock } from "../../lib/clock.ts";
import type { Json } from "../../lib/json.ts";
import type { ClusterEtcd } from "../etcd/etcd_facts.ts";
import type { NodeRole } from "../../transport/node/node_role.ts";

/** Permission to disrupt a node; released when the node is ready again. */
export interface Slot {
  readonly release: () => void;
  /**
   * Checks the permission again, for a phase that comes much later; absent where no rule applies.
   *
   * @returns The rule that forbids it, when waiting does not help or the time is up.
   */
  readonly renew?: () => AsyncGenerator<OperationProgress, Refusal | undefined>;
}

/** Options of the arbiter. */
export interface ArbiterOptions {
  readonly readRole: (node: string) => Promise<NodeRole>;
  readonly readEtcd: () => Promise<ClusterEtcd>;
  readonly allowed: ReadonlySet<Allowance>;
  readonly clock: OperationClock;
  /** Rejects while a run has locked the cluster; absent in runs, and where the lock is overridden. */
  readonly unlocked?: (() => Promise<void>) | undefined;
}

/** Grants permission to disrupt nodes. */
export interface Arbiter {
  /**
   * Waits until a node may be disrupted.
   *
   * @param context The node; its signal ends the wait.
   * @param effect Effect of the operation, or less.
   * @returns A slot, or the rule that forbids it, when waiting does not help or the time is up.
   */
  readonly admit: (
    context: Pick<NodeContext, "node" | "signal">,
    operation: Pick<AnyOperation, "quorum" | "member">,
    input: Json,
    effect: Effect,
  ) => AsyncGenerator<OperationProgress, Slot | Refusal>;
}

/** Polling interval while a rule forbids it for now, in milliseconds. */
const everyMs = 2_000;

/** Maximum wait for a rule that may pass by itself, in milliseconds. */
const patienceMs = 60_000;

const free: Slot = { release() {} };

/** Creates an arbiter; one for all nodes of an operation. */
export function createArbiter(surroundings: ArbiterOptions): Arbiter {
  const { readRole: readRole, unlocked = () => Promise.resolve() } =
    surroundings;
  // One control plane at a time, in order of request.
  let last: Promise<void> = Promise.resolve();
  let ahead = 0;

  async function* admit(
    ...[context, operation, input, effect]: Parameters<Arbiter["admit"]>
  ): AsyncGenerator<OperationProgress, Slot | Refusal> {
    const quorum = operation.quorum(input);
    const disturbs = effect === "disrupt" || effect === "destroy";
    if (!disturbs) return free;
    const role = quorum === "none" ? "worker" : await readRole(context.node);
    if (role === "worker") {
      await unlocked();
      return free;
    }
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = before.then(() => promise);
    const release = () => {
      ahead--;
      resolve();
    };
    if (ahead++ > 0) yield { text: "waiting for other control planes" };
    await before;
    const decide = () =>
      untilAllowed(surroundings, context, quorum, {
        member: operation.member?.(input),
        isUnknown: role === "unknown",
      });
    let isGranted = false;
    try {
      const refusal = yield* decide();
      if (refusal !== undefined) return refusal;
      await unlocked();
      isGranted = true;
      return { release, renew: decide };
    } finally {
      if (!isGranted) release();
    }
  }

  return { admit };
}

/** @param about Id of the etcd member, default the node's own; whether the node's role is unknown. */
async function* untilAllowed(
  { readEtcd, allowed, clock }: ArbiterOptions,
  { node, signal }: Pick<NodeContext, "node" | "signal">,
  quorum: QuorumEffect,
  about: { readonly member: string | undefined; readonly isUnknown: boolean },
): AsyncGenerator<OperationProgress, Refusal | undefined> {
  const { member, isUnknown } = about;
  const startedAt = clock.now();
  while (true) {
    const { facts, memberOf } = await readEtcd();
    // A member whose etcd does not answer counts as lost already.
    const rule = removesMember(quorum) ? mayBeRemoved : mayLeave;
    const known = member ?? memberOf.get(node);
    // A node of unknown role may be any of the healthy members.
    const id = known ?? (isUnknown ? facts.healthy[0] : undefined) ?? "";
    const found = rule(facts, id, allowed);
    if (found === undefined) return undefined;
    const refusal = isUnknown ? withUnknownRole(found, node) : found;
    const late = clock.now() - startedAt > patienceMs;
    if (!refusal.passing || late || signal.aborted) return refusal;
    yield { text: `waiting: ${refusal.reason}` };
    await clock.sleep(everyMs, signal);
  }
}

function withUnknownRole(refusal: Refusal, node: string): Refusal {
  const reason =
    `the role of ${node} is unknown, so it is treated as a control plane: ${refusal.reason}`;
  return { ...refusal, reason };
}

/** Cordons and uncordons Kubernetes nodes. */

import { RefusedError } from "../../../errors.ts";
import { nodeName } from "./node_name.ts";
import {
  type KubernetesNode,
  readNode,
  setCordon,
} from "../../kubernetes/nodes.ts";
import type { NodeContext, Operation } from "../operation.ts";
import { untilSeen } from "../poll.ts";

type CordonInput = {
  /** Owner of the cordon: a command, or a run. */
  readonly owner: string;
};

type UncordonInput = {
  /** True to remove a cordon of another user, too. */
  readonly force: boolean;
  /** `ours` silently leaves a cordon of another user. */
  readonly only: "any" | "ours";
  /** Owner of our cordons; omitted, any command or run. */
  readonly owner?: string;
};

type CordonKey = {
  readonly name: string;
  readonly unschedulable: boolean;
};

/** `node cordon`. */
export const cordon: Operation<CordonInput, KubernetesNode, CordonKey> = {
  name: "node cordon",
  effect: "write",
  idempotency: "converge",
  touches: "never",
  quorum: () => "none",
  observe: observeNode,
  plan: ({ unschedulable, name }) =>
    unschedulable ? [] : [{ action: `cordon ${name}` }],
  already: closedAlready,
  key: cordonKey,
  async *apply(context, { owner }, { name }) {
    yield { text: `cordoning ${name}` };
    await setCordon(
      await context.cluster.kubernetes(),
      name,
      owner,
      context.signal,
    );
  },
  reconcile: async (context, _, { name }) =>
    (await look(context, name)).unschedulable ? "done" : "not-started",
  verify: (context, _, { name }) =>
    untilSeen(context, async () => {
      const { unschedulable } = await look(context, name);
      if (!unschedulable) return { missing: `${name} is not cordoned yet` };
      const reason = `${name} is cordoned`;
      return { verdict: { outcome: "done", reason } };
    }),
};

/** `node uncordon`. */
export const uncordon: Operation<UncordonInput, KubernetesNode, CordonKey> = {
  name: "node uncordon",
  effect: "write",
  idempotency: "converge",
  touches: "never",
  quorum: () => "none",
  observe: observeNode,
  plan(node, { force, only, owner }) {
    const { unschedulable, cordonedBy, name } = node;
    if (!unschedulable && cordonedBy === undefined) return [];
    const isOurs = cordonedBy !== undefined &&
      (owner === undefined || cordonedBy === owner);
    const isOther = unschedulable && !isOurs;
    if (isOther && only === "ours") return [];
    if (isOther && !force) {
      throw new RefusedError(
        `Node ${name} was cordoned by another user or process`,
        {
          hint: "Uncordon it anyway with --force",
        },
      );
    }
    return [{ action: `uncordon ${name}` }];
  },
  already: ({ unschedulable, name }) =>
    unschedulable
      ? `${name} stays cordoned: another user or process cordoned it`
      : "nothing to do",
  key: cordonKey,
  async *apply(context, _, { name }) {
    yield { text: `uncordoning ${name}` };
    const kubernetes = await context.cluster.kubernetes();
    await setCordon(kubernetes, name, undefined, context.signal);
  },
  reconcile: async (context, _, { name }) =>
    (await look(context, name)).unschedulable ? "not-started" : "done",
  verify: (context, _, { name }) =>
    untilSeen(context, async () => {
      const { unschedulable } = await look(context, name);
      if (unschedulable) return { missing: `${name} is still cordoned` };
      const reason = `${name} is uncordoned`;
      return { verdict: { outcome: "done", reason } };
    }),
};

/** Reads the Kubernetes node. Throws `KubernetesError` if Kubernetes does not answer, or has no such node. */
export async function observeNode(
  context: NodeContext,
): Promise<KubernetesNode> {
  const kubernetes = await context.cluster.kubernetes();
  const name = await nodeName(context, kubernetes);
  return await readNode(kubernetes, name, context.signal);
}

function cordonKey({ name, unschedulable }: KubernetesNode): CordonKey {
  return { name, unschedulable };
}

function closedAlready({ name, cordonedBy }: KubernetesNode): string {
  return cordonedBy === undefined
    ? `${name} was already cordoned by another user or process; nothing to do`
    : `nothing to do: ${name} is already cordoned by ${cordonedBy}`;
}

async function look(
  { cluster, signal }: Pick<NodeContext, "cluster" | "signal">,
  name: string,
): Promise<KubernetesNode> {
  const kubernetes = await cluster.kubernetes();
  return await readNode(kubernetes, name, signal);
}

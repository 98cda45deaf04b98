/** Wipes etcd data, images and pods of a control plane; keeps its configuration. */

import { poll } from "../../../lib/poll.ts";
import type {
  NodeContext,
  Operation,
  OperationProgress,
  Verdict,
} from "../operation.ts";
import { type BootKey, reconcileStages } from "../boot_key.ts";
import { reset, type ResetInput, type ResetSeen } from "../node/reset.ts";
import {
  type EtcdOnNode,
  readEtcdIfReachable,
  readEtcdOnNode,
} from "./etcd_state.ts";

type WipeInput = {
  /** True to drain the node and leave etcd first. */
  readonly graceful: boolean;
};

interface WipeSeen extends ResetSeen {
  /** State of the data directory. */
  readonly dataDir: EtcdOnNode["dataDir"];
}

/** `node.resetEphemeral`. Source: `MachineService.Reset`. */
export const resetEphemeral: Operation<WipeInput, WipeSeen, BootKey> = {
  name: "node.resetEphemeral",
  effect: "destroy",
  idempotency: "keyed",
  quorum: ({ graceful }) => graceful ? "leaves-and-rejoins" : "dies",
  already: "there is no etcd data",
  async observe(context, input) {
    const seen = await reset.observe(context, toResetInput(input));
    const { dataDir } = await readEtcdOnNode(context.client, context.signal);
    return { ...seen, dataDir };
  },
  plan(seen, input) {
    if (seen.dataDir === "empty") return [];
    return reset.plan(seen, toResetInput(input));
  },
  key: ({ bootId }) => ({ bootId: bootId ?? null }),
  apply: (context, input, key) =>
    reset.apply(context, toResetInput(input), key),
  async reconcile(context, _, key, attempt) {
    const found = await reconcileStages(context, key, attempt, (found) => {
      if (found === "another boot") return "done";
      if (attempt?.acknowledged) return "in-progress";
      return found !== "silent" && found.stage === "resetting"
        ? "in-progress"
        : undefined;
    });
    if (found !== "done") return found;
    const here = await readEtcdIfReachable(context.client, context.signal);
    // Another client has rebooted it.
    if (here?.dataDir === "data") return "not-started";
    return here?.dataDir === "empty" ? "done" : "in-progress";
  },
  verify,
};

function toResetInput({ graceful }: WipeInput): ResetInput {
  return {
    graceful,
    reboot: true,
    scope: "system-disk",
    userDisks: [],
    labels: ["EPHEMERAL"],
    insecure: false,
  };
}

/** Does not wait for ready: a control plane without etcd never is. */
async function* verify(
  { client, clock, signal }: NodeContext,
  _: WipeInput,
  { bootId }: BootKey,
): AsyncGenerator<OperationProgress, Verdict> {
  let reported = "";
  let last: EtcdOnNode | undefined;
  for await (const _ of poll({ clock, signal }, { everyMs: 1_000 })) {
    last = await readEtcdIfReachable(client, signal);
    const isAnother = last !== undefined && last.bootId !== bootId;
    if (last?.dataDir === "empty" && isAnother) {
      return { outcome: "done", reason: "the etcd data directory is empty" };
    }
    if (isAnother && last?.service !== "" && last?.dataDir === "data") {
      const reason = "the node has rebooted, and its etcd data is still there";
      return { outcome: "failed", reason };
    }
    const text = last === undefined
      ? "the node does not answer"
      : "the node has not rebooted yet";
    if (text !== reported) yield { text: reported = text };
  }
  return last === undefined
    ? { outcome: "never-returned", reason: reported }
    : { outcome: "timed-out", reason: reported };
}

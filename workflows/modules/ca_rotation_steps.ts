/** Trust list changes: accept a CA, make it the issuing CA, drop one. */

import { configurationHash } from "../../config/change/configuration_hash.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { RefusedError } from "../../errors.ts";
import { ApplyConfigurationRequest_Mode as Mode } from "../../transport/gen/machine_configuration.ts";
import { readMachineConfiguration } from "../../transport/node/machine_configuration.ts";
import { sendConfiguration } from "../configuration/send.ts";
import type {
  NodeContext,
  Operation,
  PlannedAction,
} from "../operations/operation.ts";
import { confirmOutcome, ifAvailable, untilSeen } from "../operations/poll.ts";
import { short } from "../ca/certificate_text.ts";
import { takeTrust } from "../ca/cluster_trust.ts";
import { type KnownRotation, newCaKey, readRotation } from "../ca/rotation.ts";
import { allAccept, allServe, toStepContext } from "./ca_rotation_readiness.ts";
import {
  type CaKind,
  readTrust,
  type TrustList,
  withAccepted,
  withIssuer,
  withoutAccepted,
} from "../ca/trust_list.ts";
import { knownState, type TrustState } from "../ca/trust_state.ts";
import { addComments, type AddedComments } from "./configuration_comments.ts";

/** Input of a rotation step. */
export type RotationInput = {
  readonly kind: CaKind;
  /** Name of the secret with the new CA; null for the run's own. */
  readonly ca: string | null;
  /** CA to drop; null for the other steps. */
  readonly which: "old" | "new" | null;
  readonly comments: AddedComments;
};

interface RotationSeen {
  readonly node: string;
  readonly hash: string;
  readonly state: TrustState;
  /** True for workers that name no issuing CA. */
  readonly mute: boolean;
  readonly fingerprint: string;
}

type RotationKey = {
  /** Hash of the previous configuration. */
  readonly from: string;
  readonly fingerprint: string;
};

/** A change of a trust list. */
export type RotationOperation = Operation<
  RotationInput,
  RotationSeen,
  RotationKey
>;

interface RotationStep {
  readonly name: string;
  /** Fingerprint of the CA to change. */
  readonly about: (rotation: KnownRotation, input: RotationInput) => string;
  /** Planned actions; empty when done. */
  readonly plan: (
    seen: RotationSeen,
    input: RotationInput,
  ) => readonly PlannedAction[];
  /** Preconditions of the whole cluster. */
  readonly ready: (context: NodeContext, input: RotationInput) => Promise<void>;
  readonly edit: (
    text: string,
    context: NodeContext,
    input: RotationInput,
  ) => Promise<string>;
  /** Reports whether the trust list is as wanted. */
  readonly isDone: (list: TrustList, fingerprint: string) => boolean;
}

const deadlineMs = 30_000;

/** `ca.accept`: accepts the new CA besides the old one. */
export const caAccept: RotationOperation = makeStep({
  name: "ca.accept",
  about: (rotation) => rotation.new,
  plan: ({ state, fingerprint }) =>
    state === "old" ? [{ action: `accept CA ${short(fingerprint)}` }] : [],
  ready: () => Promise.resolve(),
  async edit(text, context, { kind }) {
    const { crt } = await readRotation(toStepContext(context), kind);
    return withAccepted(text, kind, crt);
  },
  isDone: (list, fingerprint) => accepts(list, fingerprint),
});

/** `ca.issue`: makes the new CA the issuing CA; the old one stays accepted. */
export const caIssue: RotationOperation = makeStep({
  name: "ca.issue",
  about: (rotation) => rotation.new,
  plan({ node, state, mute, fingerprint }) {
    if (state === "old") {
      throw new RefusedError(`${node} does not accept the new CA yet`, {
        hint: "Run ca.accept first",
      });
    }
    return state === "accepting" && !mute
      ? [{ action: `make CA ${short(fingerprint)} the issuing CA` }]
      : [];
  },
  ready: (context, { kind }) => allAccept(toStepContext(context), kind),
  async edit(text, context, { kind }) {
    const there = toStepContext(context);
    const { crt } = await readRotation(there, kind);
    const key = await newCaKey(there, kind);
    return withIssuer(text, kind, { crt, key });
  },
  isDone: (list, fingerprint) =>
    (list.issuing?.fingerprint ?? fingerprint) === fingerprint &&
    accepts(list, fingerprint),
});

/** `ca.drop`: removes the old CA, or the new one in a rollback. */
export const caDrop: RotationOperation = makeStep({
  name: "ca.drop",
  about: (rotation, { which }) => which === "new" ? rotation.new : rotation.old,
  plan({ node, state, mute, fingerprint }, { which }) {
    const action = { action: `drop CA ${short(fingerprint)}` };
    if (which === "new") {
      if (state === "old") return [];
      if (state === "accepting") return [action];
      throw new RefusedError(`The new CA issues on ${node} already`, {
        hint: "This cannot be undone: continue until the old CA is dropped",
      });
    }
    if (state === "new") return [];
    if (state === "issuing" || (state === "accepting" && mute)) return [action];
    throw new RefusedError(`The old CA still issues on ${node}`, {
      hint: "Run ca.issue first",
    });
  },
  async ready(context, { kind, which }) {
    if (which !== "new") return await allServe(toStepContext(context), kind);
    await noneIssues(context, kind);
  },
  async edit(text, context, { kind, which }) {
    const rotation = await readRotation(toStepContext(context), kind);
    const fingerprint = which === "new" ? rotation.new : rotation.old;
    return withoutAccepted(text, kind, fingerprint);
  },
  isDone: (list, fingerprint) => !accepts(list, fingerprint),
});

function makeStep(step: RotationStep): RotationOperation {
  async function look(context: NodeContext, input: RotationInput) {
    const { kind, ca } = input;
    const there = toStepContext(context);
    const handle = ca === null ? undefined : { secret: ca };
    const rotation = await readRotation(there, kind, handle);
    const text = await readMachineConfiguration(context.client);
    const list = readTrust(text, kind);
    return { rotation, text, list };
  }

  return {
    name: step.name,
    effect: "write",
    idempotency: "converge",
    quorum: () => "none",
    async observe(context, input) {
      const { node } = context;
      const { rotation, text, list } = await look(context, input);
      const { documents } = loadDocuments(text, node);
      const seen: RotationSeen = {
        node,
        hash: await configurationHash(documents),
        state: knownState(node, list, rotation),
        mute: list.issuing === undefined,
        fingerprint: step.about(rotation, input),
      };
      // Without changes, no other node matters.
      if (step.plan(seen, input).length > 0) await step.ready(context, input);
      return seen;
    },
    plan: step.plan,
    key: ({ hash, fingerprint }) => ({ from: hash, fingerprint }),
    async *apply(context, input) {
      const { rotation, text, list } = await look(context, input);
      // Another client may have changed it since the check.
      knownState(context.node, list, rotation);
      const wanted = await step.edit(text, context, input);
      if (wanted === text) return;
      const { warnings } = await sendConfiguration(context.client, {
        text: await addComments(context.client, wanted, input.comments),
        mode: Mode.NO_REBOOT,
        deadlineMs,
      });
      for (const text of warnings) yield { text };
    },
    reconcile: (context, { kind }, { fingerprint }) =>
      confirmOutcome(
        context,
        async () =>
          step.isDone(await takeTrust(context.client, kind), fingerprint),
      ),
    verify: (context, { kind }, { fingerprint }) =>
      untilSeen(context, async () => {
        const list = await takeTrust(context.client, kind);
        return step.isDone(list, fingerprint)
          ? { verdict: { outcome: "done", reason: trustText(list) } }
          : { missing: "the list of accepted CAs is unchanged" };
      }),
  };
}

/** In a rollback, no node may issue with the new CA (S15). */
async function noneIssues(context: NodeContext, kind: CaKind): Promise<void> {
  const there = toStepContext(context);
  const { cluster } = there;
  const rotation = await readRotation(there, kind);
  const members = await cluster.members();
  const issuing = await Promise.all(
    members.filter(({ controlPlane }) => controlPlane)
      .map(async ({ address }) => {
        const list = await ifAvailable(async () =>
          await takeTrust(await cluster.at(address), kind)
        );
        return list?.issuing?.fingerprint === rotation.new ? [address] : [];
      }),
  );
  const [first] = issuing.flat();
  if (first === undefined) return;
  throw new RefusedError(`The new CA issues on ${first} already`, {
    hint: "This cannot be undone: continue until the old CA is dropped",
  });
}

function accepts(list: TrustList, fingerprint: string): boolean {
  const all = [list.issuing, ...list.accepted];
  return all.some((one) => one?.fingerprint === fingerprint);
}

function trustText({ issuing, accepted }: TrustList): string {
  const others = accepted.map(({ fingerprint }) => short(fingerprint));
  const issuer = issuing === undefined ? "no CA" : short(issuing.fingerprint);
  return `${issuer} issues, also accepted: ${others.join(", ") || "none"}`;
}

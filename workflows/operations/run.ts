/** Runs an operation on nodes: admission, intent, call, and wait. */

import {
  ConnectError,
  LockedError,
  OsctlError,
  RefusedError,
  rootCause,
  RpcError,
} from "../../errors.ts";
import { keepInterruptHandler } from "../../interrupts.ts";
import { failureKind } from "../../transport/call/retryable.ts";
import { isUnsent } from "../../transport/connect/status.ts";
import { readableStatus } from "../../transport/connect/status_text.ts";
import { isAway } from "../kubernetes/client.ts";
import type {
  AnyOperation,
  Effect,
  NodeContext,
  OperationProgress,
  PlannedAction,
  Reconciled,
  Verdict,
} from "./operation.ts";
import type { Json } from "../../lib/json.ts";
import type { Arbiter, Slot } from "./arbiter.ts";
import type { Journal, OperationHistory } from "./journal.ts";
import type { Refusal } from "../etcd/quorum.ts";
import { isLate, untilSettled } from "./poll.ts";

/** Event of one node. */
export type OperationEvent =
  | {
    readonly node: string;
    readonly progress: string;
  }
  | {
    readonly node: string;
    readonly verdict: Verdict;
    /** True when the node itself was never called; omitted otherwise. */
    readonly untouched?: true;
  };

interface OperationRun {
  readonly operation: AnyOperation;
  readonly input: Json;
  readonly arbiter: Arbiter;
  /** Journal of intents and outcomes. */
  readonly journal: Journal;
  /** False to finish once the node has accepted it. */
  readonly wait: boolean;
  /** Aborts on an interrupt: no outcome is journaled then, so that it can be resumed. */
  readonly interrupted: AbortSignal;
  /** Journal of the node from an earlier run. */
  readonly history?: OperationHistory;
}

interface WalkState extends OperationRun {
  /** Phases started, in order; including earlier runs. */
  readonly steps: string[];
  /** Start of the last phase in this process, in milliseconds since 1970; absent before. */
  steppedAt?: number;
  /** Marks the node as called. */
  readonly touch: () => void;
}

const settled = new Set(["done", "unchanged", "accepted"]);

/**
 * Runs an operation on one node.
 *
 * Failures of the node are never thrown: they are the verdict.
 *
 * @param context The node; its signal aborts at the timeout.
 * @param options The operation.
 */
export async function* runOnNode(
  context: NodeContext,
  options: OperationRun,
): AsyncGenerator<OperationEvent> {
  const { node, clock, signal } = context;
  const { journal, interrupted, history } = options;
  const steps = [...history?.steps ?? []];
  let isTouched = false;
  const touch = () => {
    // Interrupts after a call must be reported.
    if (!isTouched) keepInterruptHandler();
    isTouched = true;
  };
  const state: WalkState = { ...options, steps, touch };
  const walking = walk(context, state);
  let reported = "";
  try {
    while (true) {
      const { done, value } = await next(walking, signal, () => isTouched);
      if (done) {
        if (interrupted.aborted) return;
        await journal.append({ type: "outcome", node, ...value });
        const untouched = isTouched ? {} : { untouched: true } as const;
        yield { node, verdict: value, ...untouched };
        return;
      }
      const { text, step } = value;
      if (text !== reported) yield { node, progress: reported = text };
      if (step === undefined) continue;
      await journal.append({ type: "step", node, step });
      steps.push(step);
      state.steppedAt = clock.now();
      touch();
    }
  } finally {
    // Lets an abandoned operation clean up.
    await walking.return(left);
  }
}

/** Verdict of an abandoned operation. */
const left: Verdict = {
  outcome: "in-doubt",
  reason: "did not wait for the result",
};

async function next(
  steps: AsyncGenerator<OperationProgress, Verdict>,
  signal: AbortSignal,
  isTouched: () => boolean,
): Promise<IteratorResult<OperationProgress, Verdict>> {
  try {
    return await steps.next();
  } catch (error) {
    if (isLate(error, signal)) {
      const reason = isTouched()
        ? "timed out while the node was working on it"
        : "timed out before anything was sent";
      return { done: true, value: { outcome: "timed-out", reason } };
    }
    if (!(error instanceof OsctlError)) throw error;
    return { done: true, value: failure(error) };
  }
}

function failure(error: OsctlError): Verdict {
  const isHeld = error instanceof LockedError;
  const isRefused = error instanceof RefusedError || isHeld;
  const outcome = isRefused ? "refused" : "failed";
  const hint = findHint(error);
  return {
    outcome,
    reason: error.message,
    ...findCode(rootCause(error)),
    ...hint !== undefined && { hint },
  };
}

function findHint(error: OsctlError): string | undefined {
  const about = rootCause(error);
  const raw = about instanceof RpcError ? about.raw : undefined;
  return error.hint ?? about.hint ??
    (raw === undefined ? undefined : readableStatus(raw).hint);
}

function findCode(error: OsctlError): Pick<Verdict, "code"> {
  if (error instanceof RpcError) return { code: error.code };
  if (error instanceof LockedError) return { code: "lease-lost" };
  return error instanceof ConnectError || isAway(error)
    ? { code: "unreachable" }
    : {};
}

async function* walk(
  context: NodeContext,
  options: WalkState,
): AsyncGenerator<OperationProgress, Verdict> {
  const { history } = options;
  if (history?.outcome !== undefined && settled.has(history.outcome)) {
    return { outcome: history.outcome, reason: history.reason ?? "" };
  }
  if (history?.key !== undefined) {
    return yield* resumeAttempt(context, options, history.key);
  }
  const seen = await observe(context, options);
  if ("outcome" in seen) return seen;
  const { key, actions } = seen;
  const effect = actions.every(({ gentle }) => gentle) ? "write" : undefined;
  return yield* begin(context, options, key, applyPhase, effect);
}

/** Effect of an operation on the current state of a node. */
interface Observed {
  readonly key: Json;
  readonly actions: readonly PlannedAction[];
}

/** Observes the node; returns the verdict when there is nothing to do. */
async function observe(
  context: NodeContext,
  { operation, input }: OperationRun,
): Promise<Observed | Verdict> {
  const seen = await operation.observe(context, input);
  const actions: readonly PlannedAction[] = operation.plan(seen, input);
  if (actions.length > 0) return { key: operation.key(seen, input), actions };
  const { already = "nothing to do" } = operation;
  const reason = typeof already === "string" ? already : already(seen, input);
  return { outcome: "unchanged", reason };
}

async function* resumeAttempt(
  context: NodeContext,
  options: WalkState,
  key: Json,
): AsyncGenerator<OperationProgress, Verdict> {
  const { operation, input, history, steps, touch } = options;
  const { acknowledged = false, sentAt, again = false } = history ?? {};
  const attempt = { acknowledged, steps, sentAt };
  const look = () => operation.reconcile(context, input, key, attempt);
  // A retry does not send again what must not happen twice.
  const isFree = isHarmless(operation) || again;
  const found = await (isFree ? look() : untilSettled(context, attempt, look));
  if (found !== "not-started") touch();
  yield { text: `an earlier attempt is ${found}` };
  switch (found) {
    case "done":
    case "in-progress":
      return yield* finish(context, options, key);
    case "partly":
      return yield* begin(context, options, key, resumePhase);
    case "not-started":
      return again && !isRepeatable(operation)
        ? {
          outcome: "in-doubt",
          reason:
            "the node has not begun what was sent, which may still arrive",
          hint: resumeHint,
        }
        : yield* begin(context, options, key, applyPhase);
    case "unknown":
      return context.signal.aborted ? tooSoon : {
        outcome: "in-doubt",
        reason: "it is not known whether the earlier attempt took effect",
      };
  }
}

function isRepeatable({ idempotency }: AnyOperation): boolean {
  return idempotency === "pure" || idempotency === "converge";
}

/** Reports whether it may be sent while an earlier request may still arrive. */
function isHarmless(operation: AnyOperation): boolean {
  // A second wipe would destroy what was written since the first.
  return isRepeatable(operation) && operation.effect !== "destroy";
}

const resumeHint =
  "Check the node, then resume it: it is sent again if nothing has happened";
const repeatHint = "It may still happen; running it again does no harm";

/** A longer look may find more. */
const tooSoon: Verdict = {
  outcome: "timed-out",
  reason: "timed out before the result of the earlier attempt was known",
};

type Phase = (operation: AnyOperation) => AnyOperation["apply"];

const applyPhase: Phase = ({ apply }) => apply;

const resumePhase: Phase = ({ name, resume }) => {
  if (resume === undefined) throw new TypeError(`"${name}" has no parts`);
  return resume;
};

async function* begin(
  context: NodeContext,
  options: WalkState,
  key: Json,
  phase: Phase,
  effect: Effect = options.operation.effect,
): AsyncGenerator<OperationProgress, Verdict> {
  const { operation, input, arbiter, journal } = options;
  const { node, signal } = context;
  const admitted = yield* arbiter.admit(context, operation, input, effect);
  if ("rule" in admitted) return forbidden(admitted);
  using _ = { [Symbol.dispose]: admitted.release };
  if (signal.aborted) {
    const reason = "timed out before its turn; nothing was sent";
    return { outcome: "timed-out", reason };
  }
  const destroys = effect === "destroy" && phase === applyPhase;
  // Admission may take long, and destroyed data does not come back.
  const again = destroys ? await observe(context, options) : { key };
  if ("outcome" in again) return again;
  const { key: now } = again;
  await journal.append({ type: "intent", node, key: now });
  if (operation.touches === undefined) options.touch();
  const ended = yield* send(renewing(context, admitted), options, now, phase);
  if (ended !== undefined) return ended;
  await journal.append({ type: "ack", node });
  return yield* finish(context, options, now);
}

function forbidden(
  { rule, reason, allowance, code }: Refusal,
): Verdict {
  const way = allowance === undefined ? "" : `; --allow ${allowance}`;
  return {
    outcome: "refused",
    reason: `${reason} (${rule}${way})`,
    code: code ?? rule,
  };
}

/** Lets later phases renew their permission. */
function renewing(context: NodeContext, { renew }: Slot): NodeContext {
  if (renew === undefined) return context;
  return {
    ...context,
    async *renewLeave() {
      const refusal = yield* renew();
      return refusal === undefined ? undefined : forbidden(refusal);
    },
  };
}

/** Sends it; a lost response is resolved by observation, never by repeating a call that may have been sent. */
async function* send(
  context: NodeContext,
  options: WalkState,
  key: Json,
  phase: Phase,
): AsyncGenerator<OperationProgress, Verdict | undefined> {
  const { operation, input, steps } = options;
  const startedAt = context.clock.now();
  try {
    return (yield* phase(operation)(context, input, key)) ?? undefined;
  } catch (error) {
    const isLost = (error instanceof RpcError ||
      error instanceof ConnectError) && failureKind(error) === "away";
    if (!isLost) throw error;
    const unsent = isUnsent(error);
    const lost = `the reply was lost: ${error.message}`;
    if (!unsent) yield { text: lost };
    const found = await lookedAt(context, () => {
      const sentAt = options.steppedAt ?? startedAt;
      const attempt = { acknowledged: false, steps, sentAt, unsent };
      const look = () => operation.reconcile(context, input, key, attempt);
      // Others are in doubt, and settled when they are resumed.
      return isRepeatable(operation) && !isHarmless(operation)
        ? untilSettled(context, attempt, look)
        : look();
    });
    if (found === "done" || found === "in-progress") return undefined;
    if (found === "partly" && phase === applyPhase) {
      return yield* send(context, options, key, resumePhase);
    }
    if (found === "not-started" && (unsent || isRepeatable(operation))) {
      const code = "not-started";
      return unsent || !isHarmless(operation)
        ? { ...failure(error), code }
        : { outcome: "in-doubt", reason: lost, hint: repeatHint, code };
    }
    if (found === "partly") return failure(error);
    return {
      outcome: context.signal.aborted ? "timed-out" : "in-doubt",
      reason: unsent ? error.message : lost,
      hint: resumeHint,
    };
  }
}

/** Maximum wait for a connection that broke before the response, in milliseconds. */
const patienceMs = 30_000;

/** Finds the outcome of an attempt, once the node answers. */
async function lookedAt(
  { clock, signal }: NodeContext,
  reconcile: () => Promise<Reconciled>,
): Promise<Reconciled> {
  const startedAt = clock.now();
  while (true) {
    try {
      return await reconcile();
    } catch (error) {
      if (failureKind(error) !== "away") throw error;
      if (signal.aborted || clock.now() - startedAt > patienceMs) {
        return "unknown";
      }
    }
    await clock.sleep(500, signal);
  }
}

async function* finish(
  context: NodeContext,
  { operation, input, wait }: OperationRun,
  key: Json,
): AsyncGenerator<OperationProgress, Verdict> {
  if (!wait) return { outcome: "accepted", reason: "accepted by the node" };
  return yield* operation.verify(context, input, key);
}

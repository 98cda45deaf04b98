import type { Journal } from "../../operations/journal.ts";
import type { Verdict } from "../../operations/operation.ts";
import type { Json } from "../../../lib/json.ts";
import { runOnNode } from "../../operations/run.ts";
import { instanceKey, type OpenIntent } from "../journal/history.ts";
import { isOpen, leavesOpen, touch } from "../journal/resume_state.ts";
import { findIdempotency, type StepContext } from "../../modules/module.ts";
import { admission } from "./admission.ts";
import { stepContext } from "./contexts.ts";
import type { Engine } from "./engine.ts";
import {
  codeOfError,
  codeOfVerdict,
  formatMessage,
  Halt,
  type StepEnd,
} from "./failure.ts";
import type { Failure } from "../journal/record.ts";
import { append, emitStep, type StepCall } from "./frame.ts";
import { timeLimit } from "./stop_signal.ts";

const good = new Set(["done", "unchanged", "accepted"]);

/**
 * Runs one attempt.
 *
 * @param timeoutMs Timeout in milliseconds; none when absent.
 * @throws {Halt} On a hard stop; what was sent stays open in the journal.
 */
export async function attempt(
  engine: Engine,
  call: StepCall,
  timeoutMs: number | undefined,
): Promise<StepEnd> {
  const { instances } = engine.history;
  const key = instanceKey(call.path, call.node);
  const lastSent = () => instances.get(key)?.intent;
  const earlier = lastSent();
  const wasOpen = leftOpen(engine, call) !== undefined;
  const end = await inTime(engine, call, timeoutMs);
  const isLost = "failure" in end && end.failure.code === "lease-lost";
  if (isLost && engine.lock.isSuspended?.()) {
    throw new Halt("suspended", end.failure.message);
  }
  const isUnsent = !wasOpen && lastSent() === earlier;
  // A step that must not run twice can be retried when nothing was sent.
  return isUnsent && "failure" in end && end.failure.code === "unavailable" &&
      findIdempotency(call.module) === "once"
    ? { failure: { ...end.failure, code: "not-started" } }
    : end;
}

async function inTime(
  engine: Engine,
  call: StepCall,
  timeoutMs: number | undefined,
): Promise<StepEnd> {
  const { hard } = engine.stop;
  using limit = timeLimit(engine.clock, timeoutMs);
  try {
    const signal = AbortSignal.any([limit.signal, hard]);
    const context = await stepContext(engine, call, call.target, {
      signal,
      note: noteProgress(engine, call),
    });
    return await runOnce(engine, call, context);
  } catch (error) {
    if (error instanceof Halt) throw error;
    if (hard.aborted) throw interruptHalt(call);
    return limit.signal.aborted && error === limit.signal.reason
      ? failedEnd(call, "deadline", "it took longer than its timeout")
      : failedEnd(call, codeOfError(error), formatMessage(error));
  }
}

function interruptHalt({ path }: StepCall): Halt {
  return new Halt("interrupted", `interrupted in ${path}`);
}

function failedEnd(
  { path, module, target }: StepCall,
  code: Failure["code"],
  reason: string,
): StepEnd {
  const where = target === "" ? "" : `${target}: `;
  const message = `${module.name}: ${where}${reason}`;
  return { failure: { code, step: path, message } };
}

/** Makes the function that reports the progress of an attempt; repeated lines are reported once. */
function noteProgress(engine: Engine, call: StepCall): StepContext["note"] {
  let before = "";
  return (reason) => {
    if (reason === before) return;
    before = reason;
    const waits = reason.startsWith("waiting");
    const type = waits ? "step.waiting" : "step.progress";
    const { attempt } = call;
    emitStep(engine, call, { type, attempt, data: { reason } });
  };
}

async function runOnce(
  engine: Engine,
  call: StepCall,
  context: StepContext,
): Promise<StepEnd> {
  const { module, input } = call;
  if (module.kind === "read") {
    const steps = module.read(context, input);
    while (true) {
      const { done, value } = await steps.next();
      if (done) return { outputs: value };
      context.note(value.text);
    }
  }
  const prepared = await module.prepare(context, input);
  if ("output" in prepared) return { outputs: prepared.output };
  const { operation = module.operation, toOutput: toOutput = () => ({}) } =
    prepared;
  const open = leftOpen(engine, call);
  const known = open?.operation === operation.name ? open : undefined;
  const wanted = known?.input ?? prepared.input;
  let isSent = known === undefined;
  const events = runOnNode(context, {
    operation,
    input: wanted,
    arbiter: admission(engine, call),
    journal: {
      id: engine.run,
      append: (record) => {
        isSent ||= record.type === "intent" || record.type === "step";
        return keep(engine, call, operation.name, wanted, record);
      },
    },
    wait: true,
    interrupted: engine.stop.hard,
    ...known && { history: { ...known, again: call.before !== undefined } },
  });
  let verdict: Verdict | undefined;
  for await (const event of events) {
    if ("verdict" in event) verdict = event.verdict;
    else context.note(event.progress);
  }
  if (verdict === undefined) throw interruptHalt(call);
  if (!good.has(verdict.outcome)) {
    const { reason, hint } = verdict;
    const text = hint === undefined ? reason : `${reason} (${hint})`;
    return failedEnd(call, codeOfVerdict(verdict, module), text);
  }
  const how = {
    ...verdict.outcome === "unchanged" && { changed: false as const },
    ...!isSent && { recovered: true as const },
  };
  return { outputs: await toOutput(verdict), how };
}

/** Appends a record of an operation to the journal, as one of its step. */
async function keep(
  engine: Engine,
  call: StepCall,
  operation: string,
  input: Json,
  record: Parameters<Journal["append"]>[0],
): Promise<void> {
  const { path, target, node = "", attempt } = call;
  const at = { path, attempt };
  if (record.type === "step") {
    const { type, step } = record;
    await append(engine, call, { type, ...at, data: { step } });
  }
  if (record.type === "ack") await append(engine, call, { type: "ack", ...at });
  if (record.type !== "intent") return;
  const { type, key } = record;
  const to = target !== node && { target };
  const data = { operation, key, input, ...to };
  await append(engine, call, { type, ...at, data });
  touch(engine.touched, path, node);
  touch(engine.changed, path, node);
}

/** The intent of an earlier attempt, maybe in an earlier process, whose outcome is unknown. */
function leftOpen(
  { history }: Engine,
  { path, node, fresh, entry, before }: StepCall,
): OpenIntent | undefined {
  const known = history.instances.get(instanceKey(path, node)) ?? {};
  const { intent, decision } = known;
  if (intent === undefined || decision?.verdict === "redo") return undefined;
  if (fresh && intent.entry !== entry) return undefined;
  if (before !== undefined) return leavesOpen(before) ? intent : undefined;
  return isOpen(known) ? intent : undefined;
}

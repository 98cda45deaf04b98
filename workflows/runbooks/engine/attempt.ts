/** One attempt of a module. */

import type {
  AnyOperation,
  Json,
  Progress,
  Verdict,
} from "../../operations/operation.ts";
import type { Journal } from "../../operations/journal.ts";
import { runOnNode } from "../../operations/run.ts";
import { groupKey, instanceKey, type OpenIntent } from "../journal/history.ts";
import { idempotencyOf, type StepSite } from "../module.ts";
import { admission } from "./admission.ts";
import type { Engine } from "./engine.ts";
import {
  codeOfError,
  codeOfVerdict,
  type Failure,
  Halt,
  type How,
  messageOf,
  type StepEnd,
} from "./failure.ts";
import type { Frame, StepCall } from "./frame.ts";
import { isLoosened } from "./rule_overrides.ts";
import { isOpen, leavesOpen, touch } from "../journal/resume_state.ts";

/** Which attempt, and how long it may take. */
export interface StepAttempt {
  /** From 1. */
  readonly count: number;
  /** Longest time in milliseconds; no limit when absent. */
  readonly timeoutMs: number | undefined;
  /** How the attempt before it failed, in this process; absent for the first. */
  readonly before: Failure["code"] | undefined;
}

/** Outcomes that are good ends. */
const good = new Set(["done", "unchanged", "accepted"]);

/**
 * Tries once.
 *
 * @throws {Halt} When nothing is to be waited for any more; what was sent stays open in the journal.
 */
export async function attempt(
  engine: Engine,
  frame: Frame,
  call: StepCall,
  about: StepAttempt,
): Promise<StepEnd> {
  const { history } = engine;
  const key = instanceKey(call.path, frame.node);
  const lastSent = () => history.instances.get(key)?.intent;
  const earlier = lastSent();
  const isOpenYet = leftOpen(engine, frame, call, about) !== undefined;
  const end = await tryOnce(engine, frame, call, about);
  return isOpenYet || lastSent() !== earlier ? end : unsent(end, call);
}

/** What must not be done twice can be tried again when nothing of it was sent. */
function unsent(end: StepEnd, { module }: StepCall): StepEnd {
  if (!("failure" in end) || end.failure.code !== "unavailable") return end;
  if (idempotencyOf(module) !== "once") return end;
  return { failure: { ...end.failure, code: "not-started" } };
}

async function tryOnce(
  engine: Engine,
  frame: Frame,
  call: StepCall,
  { count, timeoutMs, before }: StepAttempt,
): Promise<StepEnd> {
  const { clock, stop } = engine;
  const cancel = new AbortController();
  const late = new AbortController();
  if (timeoutMs !== undefined) {
    clock.sleep(timeoutMs, cancel.signal).then(() => {
      if (!cancel.signal.aborted) {
        late.abort(new DOMException("", "TimeoutError"));
      }
    });
  }
  const signal = AbortSignal.any([late.signal, stop.hard]);
  try {
    const tell = teller(engine, frame, call, count);
    const site = await siteOf(engine, frame, call, signal, tell);
    return await within(engine, frame, call, { site, tell, count, before });
  } catch (error) {
    if (error instanceof Halt) throw error;
    if (stop.hard.aborted) throw interrupted(call);
    const timedOut = late.signal.aborted && error === late.signal.reason;
    return timedOut
      ? failed(call, "deadline", "it took longer than its timeout")
      : failed(call, codeOfError(error), messageOf(error));
  } finally {
    cancel.abort();
  }
}

function interrupted({ path }: StepCall): Halt {
  return new Halt("interrupted", `interrupted in ${path}`);
}

function failed(
  { path, module, target }: StepCall,
  code: Failure["code"],
  reason: string,
): StepEnd {
  const where = target === "" ? "" : `${target}: `;
  const message = `${module.name}: ${where}${reason}`;
  return { failure: { code, step: path, message } };
}

async function siteOf(
  engine: Engine,
  frame: Frame,
  { target }: StepCall,
  signal: AbortSignal,
  note: Tell,
): Promise<StepSite> {
  const { cluster, clock, room, run } = engine;
  const client = target === "" ? await cluster.any() : await cluster.at(target);
  return {
    node: target,
    client,
    cluster: cluster.view,
    signal,
    clock,
    room: {
      ...room,
      run,
      note,
      overridden: (rule) => isLoosened(engine, rule),
      group: (name) =>
        Promise.resolve(
          name === "self" && frame.node !== undefined
            ? [frame.node]
            : engine.groups.get(groupKey(frame.book, name)) ?? [],
        ),
    },
  };
}

/** Tells how far the step is, as one line. */
type Tell = (text: string) => void;

/** A site, and which attempt it is for. */
interface Try extends Pick<StepAttempt, "count" | "before"> {
  readonly site: StepSite;
  readonly tell: Tell;
}

async function within(
  engine: Engine,
  frame: Frame,
  call: StepCall,
  about: Try,
): Promise<StepEnd> {
  const { module, input } = call;
  const { site, tell } = about;
  if (module.kind === "read") {
    return { outputs: await told(tell, module.read(site, input)) };
  }
  const prepared = await module.prepare(site, input);
  if ("output" in prepared) return { outputs: prepared.output };
  const { operation = module.operation, outputOf = () => ({}) } = prepared;
  const { verdict, isFound } = await told(
    tell,
    performing(engine, frame, call, {
      ...about,
      operation,
      input: prepared.input,
    }),
  );
  if (!good.has(verdict.outcome)) {
    return failed(call, codeOfVerdict(verdict, module), verdict.reason);
  }
  const how: How = {
    ...(verdict.outcome === "unchanged" ? { changed: false } : {}),
    ...(isFound ? { recovered: true } : {}),
  };
  return { outputs: await outputOf(verdict), how };
}

/** How an operation ended. */
interface Performed {
  readonly verdict: Verdict;
  /** True when an earlier attempt had done it, and nothing was sent again. */
  readonly isFound: boolean;
}

/** An operation, and where it is done. */
interface Performance extends Try {
  readonly operation: AnyOperation;
  readonly input: Json;
}

async function* performing(
  engine: Engine,
  frame: Frame,
  call: StepCall,
  { site, operation, input, count, before }: Performance,
): AsyncGenerator<Progress, Performed> {
  const { node, entry } = frame;
  const open = leftOpen(engine, frame, call, { before });
  const known = open?.operation === operation.name ? open : undefined;
  const about = {
    p: call.path,
    ...(node === undefined ? {} : { n: node }),
    e: entry,
    a: count,
  };
  const wanted = known?.input ?? input;
  let isFound = known !== undefined;
  const journal: Journal = {
    id: engine.run,
    async append(record) {
      switch (record.type) {
        case "intent": {
          const { key } = record;
          isFound = false;
          const { target } = call;
          const to = target === (node ?? "") ? {} : { target };
          const d = { operation: operation.name, key, input: wanted, ...to };
          await engine.journal.append({ t: "intent", ...about, d });
          touch(engine.touched, call.path, node ?? "");
          return;
        }
        case "step": {
          const d = { step: record.step };
          isFound = false;
          await engine.journal.append({ t: "step", ...about, d });
          return;
        }
        case "ack":
          await engine.journal.append({ t: "ack", ...about });
      }
    },
  };
  const events = runOnNode(site, {
    operation,
    input: wanted,
    arbiter: admission(engine, frame, call),
    journal,
    wait: true,
    interrupted: engine.stop.hard,
    ...(known === undefined ? {} : { history: known }),
  });
  for await (const event of events) {
    if ("verdict" in event) return { verdict: event.verdict, isFound };
    yield { text: event.progress };
  }
  throw interrupted(call);
}

/** What an earlier attempt has sent, also one of an earlier process, when it is not known how that ended. */
function leftOpen(
  { history }: Engine,
  { node, fresh, entry }: Frame,
  { path }: StepCall,
  { before }: Pick<StepAttempt, "before">,
): OpenIntent | undefined {
  const known = history.instances.get(instanceKey(path, node)) ?? {};
  const { intent, decision } = known;
  if (intent === undefined || decision?.verdict === "redo") return undefined;
  if (fresh && intent.entry !== entry) return undefined;
  if (before !== undefined) return leavesOpen(before) ? intent : undefined;
  return isOpen(known) ? intent : undefined;
}

/** Makes what tells each line once. */
function teller(
  engine: Engine,
  { node }: Frame,
  { path }: StepCall,
  attempt: number,
): Tell {
  let before = "";
  return (reason) => {
    if (reason === before) return;
    before = reason;
    const waits = reason.startsWith("waiting");
    engine.tell(waits ? "step.waiting" : "step.progress", {
      path,
      ...(node === undefined ? {} : { node }),
      attempt,
      data: { reason },
    });
  };
}

/** Tells progress, and gives what comes at the end. */
async function told<T>(
  tell: Tell,
  steps: AsyncGenerator<Progress, T>,
): Promise<T> {
  while (true) {
    const { done, value } = await steps.next();
    if (done) return value;
    tell(value.text);
  }
}

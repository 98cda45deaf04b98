/** Previews modules: reads the node now, and changes nothing. */

import {
  ConfigError,
  OsctlError,
  RefusedError,
  UsageError,
} from "../../../errors.ts";
import type {
  AnyOperation,
  PlannedAction,
} from "../../operations/operation.ts";
import type { Json } from "../../../lib/json.ts";
import { timeLimit } from "../engine/stop_signal.ts";
import { stepContext } from "../engine/contexts.ts";
import { pathIn } from "../engine/frame.ts";
import { formatTarget, resolveInput } from "../engine/run_module.ts";
import {
  type ChangingModule,
  findEffect,
  isDisturbing,
  type Module,
  type ReadingModule,
  type StepContext,
} from "../../modules/module.ts";
import type { Preview } from "./plan.ts";
import { movedBy } from "./changing_facts.ts";
import { type PlanPosition, UnknownValue } from "./plan_position.ts";
import type { Planner } from "./planner.ts";
import { planValue } from "./values.ts";
import type { StepOf } from "../runbook.ts";

interface PlannedAttempt {
  readonly place: PlanPosition;
  readonly path: string;
  readonly module: Module;
  /** Node to run on; empty for cluster-wide modules. */
  readonly target: string;
  readonly input: Readonly<Record<string, Json>>;
}

/**
 * Previews a module at a position that is reached for certain and that no condition skips.
 *
 * @param planner The plan; possible changes of the step are noted.
 */
export async function makePreview(
  planner: Planner,
  place: PlanPosition,
  step: StepOf<"run">,
): Promise<Preview> {
  const path = pathIn(place.frame, step.id);
  const module = planner.engine.module(step.module);
  const node = place.frame.node;
  const about = node === undefined ? {} : { node };
  place.frame.outputs.set(step.id, new UnknownValue([path]));
  const found = await planInput(planner, place, step, path);
  const isBehind = isChanged(planner, place);
  if (module.kind === "read") {
    if (module.looks && "input" in found) {
      const target = formatTarget(place.frame, module, found.input);
      const attempt = { place, path, module, target, ...found };
      const outputs = isBehind ? undefined : await lookAhead(planner, attempt);
      if (outputs !== undefined) place.frame.outputs.set(step.id, outputs);
    }
    const artifact = "input" in found ? found.input.artifact : undefined;
    return {
      ...about,
      outcome: "read",
      actions: [],
      ...typeof artifact === "string" &&
        { reason: `saved as ${artifact} in the folder of the run` },
    };
  }
  if ("reason" in found) {
    noteChange(planner, place, { module, path });
    return { ...about, ...found };
  }
  const target = formatTarget(place.frame, module, found.input);
  const attempt = { place, path, module, target, ...found };
  const seen = await observeNode(planner, attempt);
  const outcome = seen.outcome;
  if (outcome === "nothing" || outcome === "refused") {
    if (!isBehind) return { ...about, ...seen };
    // The result depends on the earlier steps.
    noteChange(planner, place, { module, path, target });
    const reason = `depends on the steps before it; now: ${
      seen.reason ?? "nothing to do"
    }`;
    return { ...about, outcome: "unknown", actions: [], reason };
  }
  noteChange(planner, place, { module, path, target });
  return { ...about, ...seen };
}

/**
 * Notes the facts that a step may change at a position.
 *
 * @param place Position of the step; those after a failure are uncertain.
 * @param step Module and node; default the node of the position.
 */
export function noteChange(
  { moved, changing, engine }: Planner,
  { frame, failing }: PlanPosition,
  { module, path, target = frame.node }: {
    readonly module: Module;
    readonly path: string;
    readonly target?: string | undefined;
  },
): void {
  if (failing || findEffect(module) === "read") return;
  if (!changing.includes(path)) changing.push(path);
  const all = engine.facts.last().nodes;
  const named = all.filter(({ name, address }) =>
    name === target || address === target
  );
  // A step without a single node may change any node.
  for (const { name } of named.length > 0 ? named : all) {
    moved.add(name, movedBy(module), path);
  }
}

/** True when an earlier step may have changed the node, or, outside fan-outs, anything. */
function isChanged(
  { moved, changing }: Planner,
  { frame }: PlanPosition,
): boolean {
  return frame.node === undefined
    ? changing.length > 0
    : moved.nodes.has(frame.node);
}

async function planInput(
  planner: Planner,
  place: PlanPosition,
  step: StepOf<"run">,
  path: string,
): Promise<
  Pick<PlannedAttempt, "input"> | {
    readonly outcome: "unknown" | "refused";
    readonly actions: readonly PlannedAction[];
    readonly reason: string;
  }
> {
  const module = planner.engine.module(step.module);
  const open: string[] = [];
  try {
    const input = await resolveInput(module, step, async (template, name) => {
      const what = `with.${name}`;
      const value = await planValue(planner, place, template, { path, what });
      if (!(value instanceof UnknownValue)) return value;
      open.push(what);
      return null;
    });
    if (open.length === 0) return { input };
    const reason = `decided at run time: ${open.join(", ")}`;
    return { outcome: "unknown", actions: [], reason };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { outcome: "refused", actions: [], reason: error.message };
  }
}

/** Timeout of a preview, in milliseconds. */
const lookMs = 60_000;

/** Reads the nodes as the step would; empty when they do not answer. */
async function lookAhead(
  planner: Planner,
  attempt: PlannedAttempt & { readonly module: ReadingModule },
): Promise<Readonly<Record<string, Json>> | undefined> {
  using limit = timeLimit(planner.engine.clock, lookMs);
  try {
    const signal = AbortSignal.any([planner.signal, limit.signal]);
    const context = await planContext(planner, attempt, signal);
    const steps = attempt.module.read(context, attempt.input);
    while (true) {
      const { done, value } = await steps.next();
      if (done) return value;
    }
  } catch (error) {
    if (error instanceof OsctlError || error === limit.signal.reason) {
      return undefined;
    }
    throw error;
  }
}

type Seen = Pick<Preview, "outcome" | "actions" | "reason">;

/** Reads the node as the module would, without changes. */
async function observeNode(
  planner: Planner,
  attempt: PlannedAttempt & { readonly module: ChangingModule },
): Promise<Seen> {
  const { module, input } = attempt;
  const nothing = { outcome: "nothing", actions: [] } as const;
  try {
    const context = await planContext(planner, attempt, planner.signal);
    const prepared = await module.prepare(context, input);
    if ("output" in prepared) return { ...nothing, reason: "nothing to do" };
    const { operation = module.operation, input: wanted } = prepared;
    const seen = await operation.observe(context, wanted);
    const actions = [...operation.plan(seen, wanted)];
    if (actions.length === 0) {
      return { ...nothing, reason: formatAlready(operation, seen, wanted) };
    }
    noteDisturbance(planner, attempt, operation, wanted);
    return { outcome: "change", actions };
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    return failedLook(error);
  }
}

function formatAlready(
  { already = "nothing to do" }: AnyOperation,
  seen: unknown,
  input: Json,
): string {
  return typeof already === "string" ? already : already(seen, input);
}

function failedLook(error: OsctlError): Seen {
  const { message } = error;
  // A missing file or input would fail the run as well.
  return error instanceof RefusedError || error instanceof ConfigError ||
      error instanceof UsageError
    ? { outcome: "refused", actions: [], reason: message }
    : {
      outcome: "unknown",
      actions: [],
      reason: `cannot be determined: ${message}`,
    };
}

function noteDisturbance(
  { disturbances }: Planner,
  { path, target, module, place }: PlannedAttempt,
  operation: AnyOperation,
  input: Json,
): void {
  const { effect } = operation;
  if (place.failing || !isDisturbing(effect)) return;
  const member = operation.member?.(input);
  disturbances.push({
    path,
    node: target,
    module: module.name,
    effect,
    quorum: operation.quorum(input),
    ...(member === undefined ? {} : { member }),
  });
}

function planContext(
  { engine }: Planner,
  { place, target }: PlannedAttempt,
  signal: AbortSignal,
): Promise<StepContext> {
  return stepContext(engine, place.frame, target, { signal, note() {} });
}

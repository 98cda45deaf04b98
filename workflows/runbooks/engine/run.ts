import { moduleIn } from "../language/lookup.ts";
import { type ExitStatus, exitStatus, OsctlError } from "../../../errors.ts";
import type { Json } from "../../../lib/json.ts";
import type { RunReport, RunState, TargetReport } from "../event.ts";
import { groupKey } from "../journal/history.ts";
import { residueList } from "../journal/residue.ts";
import { reportRecords } from "../journal/record_event.ts";
import {
  type CleanupFailure,
  endedNodes,
  endedTargets,
  failedCleanup,
  groupByEnd,
} from "../journal/targets.ts";
import { runWork } from "./block.ts";
import { enterBook } from "./run_values.ts";
import type { Engine } from "./engine.ts";
import { runSteps } from "./step.ts";
import { cacheFacts } from "./facts_cache.ts";
import { codeOfError, formatMessage, Halt } from "./failure.ts";
import type { Failure } from "../journal/record.ts";
import { blocking } from "./for_each.ts";
import { type Frame, makeFrame, type RunbookScope } from "./frame.ts";
import { isOverridden } from "./rule_overrides.ts";
import { render } from "./scope.ts";
import {
  findOpenPhases,
  listChanged,
  listRedone,
  listSkipped,
  listTouched,
} from "../journal/resume_state.ts";
import type { Facts } from "../read_facts.ts";
import type { EngineOptions } from "./engine_options.ts";
import { makeEvaluator } from "../language/typing/evaluator.ts";
import { createArbiter } from "../../operations/arbiter.ts";

/** Result of a run, stopped or finished. */
export type RunEnd = Omit<RunReport, "next">;

/**
 * Starts or resumes a run.
 *
 * @param options Options; the history holds the records of earlier processes.
 * @returns Its result, which is also the last record of the journal.
 */
export async function runRunbook(options: EngineOptions): Promise<RunEnd> {
  const engine = makeEngine(options);
  const book = await enterBook(engine, options.runbook, "", options.inputs);
  const entry = await begin(engine, book);
  const { frame, end } = await walkRunbook(engine, book, entry);
  if (end instanceof Halt && end.why === "suspended") {
    return await reenter(options);
  }
  const report = await makeReport(engine, frame, end);
  // An interrupted run has not finished: its intents stay open.
  if (end instanceof Halt && end.why === "interrupted") {
    const { state, status } = report;
    engine.emit({ type: "run.ended", data: { state, status } });
    return report;
  }
  await engine.journal.append({
    type: "run.end",
    data: {
      state: report.state,
      status: report.status,
      outputs: report.outputs,
      ...(report.failure === undefined ? {} : { failure: report.failure }),
      ...reportCleanup(report.cleanup ?? []),
    },
  });
  return report;
}

/** Continues as a resume does: everything read before the process was suspended is read again. */
async function reenter(options: EngineOptions): Promise<RunEnd> {
  const message =
    "This process was suspended; checking the lock and all nodes again";
  options.emit({ type: "note", data: { message } });
  await options.lock.reenter?.();
  options.allowed.clear();
  const firstFacts = await options.cluster.readFacts();
  return await runRunbook({ ...options, firstFacts });
}

async function walkRunbook(
  engine: Engine,
  book: RunbookScope,
  entry: number,
): Promise<{
  readonly frame: Frame;
  readonly end: Failure | Halt | undefined;
}> {
  const frame: Frame = { ...makeFrame(book), entry };
  engine.top = frame;
  try {
    return { frame, end: await runWork(engine, frame, engine.runbook) };
  } catch (error) {
    if (!(error instanceof Halt)) throw error;
    if (error.why !== "again") return { frame, end: error };
  }
  // The steps that an earlier process was stopped in have finished.
  await engine.journal.append({
    type: "run.resume",
    data: { entry: entry + 1 },
  });
  return await walkRunbook(engine, book, entry + 1);
}

function makeEngine(options: EngineOptions): Engine {
  const { history, cluster, clock, found, allowed } = options;
  const { firstFacts: facts } = options;
  const touched = listTouched(history);
  const frozen = history.start?.groups ?? {};
  const engine: Engine = {
    ...options,
    runSteps: (frame, steps) => runSteps(engine, frame, steps),
    overridden: (rule) => isOverridden(engine, rule),
    touched,
    changed: listChanged(history),
    arbiter: createArbiter({ ...cluster.view, allowed, clock }),
    module: (name) => moduleIn(found, name),
    evaluator: makeEvaluator(found, {
      reached: (path) => touched.has(path),
      now: clock.now,
    }),
    journal: reportRecords(options),
    facts: cacheFacts(cluster, clock, facts),
    groups: new Map([...Object.entries(frozen), ...history.groups]),
    decisions: new Map(),
    openPhases: findOpenPhases(history),
    redone: listRedone(history),
    overriding: Promise.resolve(),
    waits: "",
    top: undefined,
    allowedNow: new Set(),
    members: new Set(
      history.start === undefined
        ? facts.nodes.map(({ name }) => name)
        : history.start.members,
    ),
    destroyApprovedAt: Math.max(
      0,
      ...[...history.approvals.values()].flatMap((
        { approved, destructive, at, outdated },
      ) => approved && destructive && !outdated ? [at] : []),
    ),
  };
  return engine;
}

/** Appends the first record, or that of a resume. Returns the entry. */
async function begin(engine: Engine, book: RunbookScope): Promise<number> {
  const { history, journal, openPhases, emit, start } = engine;
  if (history.start === undefined) {
    const groups = Object.fromEntries(
      Object.keys(book.runbook.groups).map((name) => {
        const key = groupKey(book, name);
        return [key, [...engine.groups.get(key) ?? []]];
      }),
    );
    const members = [...engine.members];
    const versions = Object.fromEntries(
      engine.firstFacts.nodes.map(({ name, version }) => [name, version]),
    );
    const d = { ...start, groups, members, versions };
    await journal.append({ type: "run.start", data: d });
    emit({ type: "run.started", data: { runbook: book.runbook.name, groups } });
    return 1;
  }
  const last = history.entries;
  const left = (openPhases.get("") ?? []).some(({ entry }) => entry === last);
  const entry = left ? last : last + 1;
  await journal.append({ type: "run.resume", data: { entry } });
  emit({ type: "run.resumed", data: { runbook: book.runbook.name, entry } });
  return entry;
}

async function makeReport(
  engine: Engine,
  frame: Frame,
  walk: Failure | Halt | undefined,
): Promise<RunEnd> {
  const { runbook, run, clock, history, members, firstFacts } = engine;
  const targets = endedTargets(runbook, history);
  const joined = (await nodesNow(engine))
    .flatMap(({ name }) => members.has(name) ? [] : [name]);
  const { outputs, end: found } = walk === undefined
    ? await resolveOutputs(engine, frame, targets)
    : { outputs: {}, end: walk };
  const end = await withoutLock(engine, found, targets);
  const cleanup = failedCleanup(runbook, history);
  const { state, status } = withCleanup(
    findVerdict(end, targets, engine),
    cleanup,
    engine,
  );
  const endedAt = new Date(clock.now()).toISOString();
  return {
    run,
    runbook: runbook.name,
    cluster: firstFacts.cluster.name,
    state,
    status,
    startedAt: history.startedAt,
    endedAt,
    targets,
    nodes: endedNodes(runbook, history, state, engine.facts.last().nodes),
    ...findFailure(end),
    ...reportCleanup(cleanup),
    skipped: listSkipped(history),
    ...(joined.length === 0 ? {} : { joined }),
    residue: residueList(history.residue),
    artifacts: await engine.artifacts(),
    outputs,
  };
}

/** Replaces a failure that another process caused, by resuming the run and disturbing its nodes. */
async function withoutLock(
  { lock, stop }: Engine,
  end: Failure | Halt | undefined,
  targets: readonly TargetReport[],
): Promise<Failure | Halt | undefined> {
  if (end instanceof Halt || stop.hard.aborted) return end;
  const isWell = end === undefined &&
    targets.every(({ state }) => state === "done");
  const isKnown = end?.code === "lease-lost" && lock.isTaken?.();
  if (isWell || isKnown) return end;
  const error = await lock.elsewhere?.();
  if (error === undefined) return end;
  const { step = "", message = "" } = end ?? {};
  const seen = message === "" ? "" : `; this process saw: ${message}`;
  return {
    code: codeOfError(error),
    step,
    message: formatMessage(error) + seen,
  };
}

function reportCleanup(
  cleanup: readonly CleanupFailure[],
): { readonly cleanup?: CleanupFailure[] } {
  return cleanup.length === 0
    ? {}
    : { cleanup: cleanup.map((one) => ({ ...one })) };
}

/** Nodes of the cluster at the end; the last known ones when no node responds. */
async function nodesNow({ facts, stop }: Engine): Promise<Facts["nodes"]> {
  if (stop.hard.aborted) return facts.last().nodes;
  try {
    return (await facts.recent()).nodes;
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    return facts.last().nodes;
  }
}

function findFailure(
  end: Failure | Halt | undefined,
): Pick<RunReport, "failure"> {
  if (end === undefined) return {};
  if (end instanceof Halt) {
    return { failure: { step: "", code: end.why, message: end.message } };
  }
  const { step, code, message } = end;
  return { failure: { step, code, message } };
}

const timeouts: ReadonlySet<string> = new Set([
  "gate-timeout",
  "never-returned",
  "deadline",
  "drain-blocked",
]);

const halts: Readonly<
  Record<
    Exclude<Halt["why"], "again" | "suspended">,
    { readonly state: RunState; readonly status: ExitStatus }
  >
> = {
  stop: { state: "stopped", status: exitStatus.stopped },
  approval: { state: "waiting-approval", status: exitStatus.waiting },
  disapproved: { state: "refused", status: exitStatus.disapproved },
  interrupted: { state: "interrupted", status: exitStatus.interrupted },
};

interface RunVerdict {
  readonly state: RunState;
  readonly status: ExitStatus;
}

/** Adds the failures of `rescue` and `always`: a failed rescue never improves the result of a run. */
function withCleanup(
  verdict: RunVerdict,
  cleanup: readonly CleanupFailure[],
  engine: Parameters<typeof findVerdict>[2],
): RunVerdict {
  const failures = cleanup.map(({ step, code, message }) => ({
    step,
    code: code as Failure["code"],
    message,
  }));
  const [first] = failures;
  if (first === undefined) return verdict;
  const doubt = failures.find(({ code }) => code === "in-doubt");
  switch (verdict.state) {
    case "succeeded":
      return findVerdict(doubt ?? first, [], engine);
    case "partial":
      // The failure of a node is within `maxFailures`.
      return cleanup.every(({ node }) => node !== undefined)
        ? verdict
        : findVerdict(doubt ?? first, [], engine);
    case "failed":
      return doubt === undefined ? verdict : findVerdict(doubt, [], engine);
    default:
      return verdict;
  }
}

function findVerdict(
  end: Failure | Halt | undefined,
  targets: readonly TargetReport[],
  { history: { instances }, lock }: Pick<Engine, "history" | "lock">,
): RunVerdict {
  if (end instanceof Halt) {
    // Only `walked` handles the other one.
    return halts[end.why as keyof typeof halts];
  }
  if (end === undefined) {
    return targets.every(({ state }) => state === "done")
      ? { state: "succeeded", status: exitStatus.ok }
      : { state: "partial", status: exitStatus.partial };
  }
  if (blocking.has(end.code)) {
    const isTaken = end.code === "lease-lost" && lock.isTaken?.();
    const status = isTaken ? exitStatus.locked : exitStatus.refused;
    return { state: "blocked", status };
  }
  const isSent = [...instances.values()].some(({ intent }) => intent);
  const status = timeouts.has(end.code)
    ? exitStatus.timeout
    : end.code === "invalid" && !isSent
    ? exitStatus.usage
    : exitStatus.failed;
  return { state: "failed", status };
}

async function resolveOutputs(
  engine: Engine,
  frame: Frame,
  targets: readonly TargetReport[],
): Promise<{
  readonly outputs: Readonly<Record<string, Json>>;
  readonly end: Failure | undefined;
}> {
  const result = groupByEnd(targets);
  const outputs: Record<string, Json> = {};
  for (const [name, template] of Object.entries(engine.runbook.outputs)) {
    try {
      outputs[name] = await render(engine, frame, template, { result });
    } catch (error) {
      // All steps have run by then, and that must be recorded.
      const code = codeOfError(error);
      const message = formatMessage(error);
      return { outputs, end: { code, step: `outputs/${name}`, message } };
    }
  }
  return { outputs, end: undefined };
}

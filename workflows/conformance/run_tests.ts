/** Runs Kubernetes tests in the cluster, with the upstream conformance image. */

import { OsctlError, TimeoutError } from "../../errors.ts";
import {
  isAway,
  type Kubernetes,
  KubernetesError,
  readFields,
} from "../kubernetes/client.ts";
import type { OperationClock } from "../../lib/clock.ts";
import {
  afterLine,
  logStart,
  logText,
  noProgress,
  progressText,
  readLog,
} from "./test_log.ts";
import { filesIn } from "./test_results.ts";
import {
  removeTests,
  type ResultFile,
  resultsContainer,
  runnerContainer,
  testNamespace,
  testObjects,
  testPodPath,
  type TestSuite,
} from "./test_objects.ts";

/** Context of a test run. */
export interface TestContext {
  readonly kubernetes: Pick<Kubernetes, "request">;
  readonly clock: OperationClock;
  /** Timeout after which the runner aborts its tests, in milliseconds. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Called with each progress message. */
  readonly report: (text: string) => void;
}

/** Result of a test run. */
export interface TestEnd {
  /** Exit status of the test runner; 0 when all passed, `undefined` when it timed out. */
  readonly code: number | undefined;
  /** Progress: `3 of 3 tests finished`. */
  readonly progress: string;
  /** Duration, in milliseconds. */
  readonly tookMs: number;
  /** Log and results by file name, as far as the runner wrote them. */
  readonly files: ReadonlyMap<ResultFile, string>;
}

/** Suites of each conformance mode, in order; disruptive tests run alone. */
export const conformanceSuites: Readonly<
  Record<
    "fast" | "certified",
    readonly (
      & Pick<TestSuite, "focus" | "skip" | "processes">
      & { readonly name: string }
    )[]
  >
> = {
  fast: [{
    name: "parallel",
    focus: "\\[Conformance\\]",
    skip: "\\[Serial\\]",
    processes: 16,
  }, {
    name: "serial",
    focus: "\\[Serial\\].*\\[Conformance\\]",
    skip: "",
    processes: 1,
  }],
  certified: [{
    name: "certified",
    focus: "\\[Conformance\\]",
    skip: "",
    processes: 1,
  }],
};

/** Maximum polling interval of the pod, in milliseconds. */
const longestPauseMs = 5_000;

/** Polling interval of the pod, in milliseconds; increases with the time passed. */
function pauseAfter(passedMs: number): number {
  return Math.min(longestPauseMs, Math.max(250, passedMs / 8));
}

/** Timeout for both containers to start, image pulls included, unless the tests have less. In milliseconds. */
const startMs = 10 * 60_000;

/** Time for the runner to stop its tests and write results after its timeout, in milliseconds. */
const stopMs = 3 * 60_000;

/** Timeout for the results to be printed, in milliseconds. */
const resultsMs = 2 * 60_000;

/** Timeout for the cleanup, in milliseconds. */
const removalMs = 5 * 60_000;

/**
 * Removes leftovers of an earlier run, runs tests, fetches their results, and always cleans up. An API server that is
 * unavailable for a while does not abort the tests: some of them load it. At its timeout, the runner stops the tests
 * and writes results; if it does not, only the log is available.
 *
 * @throws {TimeoutError} If the pod does not start.
 * @throws {OsctlError} If the pod is gone, or its results cannot be read.
 */
export async function runTests(
  context: TestContext,
  suite: TestSuite,
): Promise<TestEnd> {
  const { kubernetes, clock, signal, report } = context;
  await removeTests(kubernetes, clock, signal);
  try {
    for (const { path, body } of testObjects(suite, context.limitMs)) {
      // In order: each object requires the previous ones.
      await kubernetes.request(path, { method: "POST", body, signal });
    }
    const startedAt = clock.now();
    const { hasEnded, ...end } = await untilFinished(context, startedAt);
    const tookMs = clock.now() - startedAt;
    report("fetching the results");
    const files = hasEnded ? await results(context) : new Map();
    return { ...end, tookMs, files: await withLog(files, context) };
  } finally {
    report(`removing the namespace ${testNamespace}`);
    await removeObjects(context);
  }
}

/** Cleans up, also after an interrupt. A failed cleanup does not hide the result of the tests. */
async function removeObjects(
  { kubernetes, clock, report }: TestContext,
): Promise<void> {
  const until = clock.now() + removalMs;
  const { signal } = new AbortController();
  let reason = "it is still there";
  const limited: OperationClock = {
    now: clock.now,
    async sleep(ms) {
      if (clock.now() >= until) throw new OsctlError(reason);
      await clock.sleep(ms, signal);
    },
  };
  while (true) {
    try {
      return await removeTests(kubernetes, limited, signal);
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      if (!isAway(error) || clock.now() >= until) {
        return report(
          `Cannot remove the namespace ${testNamespace}: ${error.message}; remove it with: kubectl delete namespace ${testNamespace}`,
        );
      }
      reason = error.message;
      await clock.sleep(1_000, signal);
    }
  }
}

interface PodState {
  /** Exit status of the runner; `undefined` while it runs. */
  readonly code: number | undefined;
  /** True once the runner has started. */
  readonly hasStarted: boolean;
  readonly hasLog: boolean;
  /** True once the results were printed. */
  readonly hasResults: boolean;
  /** Reason why it does not start; empty if unknown. */
  readonly waiting: string;
}

interface WaitEnd extends Pick<TestEnd, "code" | "progress"> {
  /** True once the runner has exited. */
  readonly hasEnded: boolean;
}

async function untilFinished(
  context: TestContext,
  createdAt: number,
): Promise<WaitEnd> {
  const { kubernetes, clock, signal, limitMs, report } = context;
  let [progress, from] = [noProgress, logStart];
  let startedAt: number | undefined;
  let last = "";
  const say = (text: string) => {
    if (text !== last) report(last = text);
  };
  while (true) {
    let text = last;
    let isWaiting = false;
    try {
      const state = await podState(kubernetes, signal);
      isWaiting = !state.hasStarted;
      if (state.hasStarted) startedAt ??= clock.now();
      if (state.hasLog) {
        const log = { pod: testPodPath, container: runnerContainer, from };
        const { lines, end } = await readLog(kubernetes, log, signal);
        from = end;
        progress = lines.reduce(afterLine, progress);
      }
      text = isWaiting ? state.waiting : progressText(progress);
      if (state.code !== undefined) {
        say(text);
        // The runner started before it was first seen running.
        const lateMs = Math.max(limitMs / 2, limitMs - longestPauseMs);
        const isLate = clock.now() - (startedAt ?? createdAt) >= lateMs;
        const code = isLate && state.code !== 0 ? undefined : state.code;
        return { code, progress: text, hasEnded: true };
      }
    } catch (error) {
      if (!isAway(error) || signal.aborted) throw error;
      text = error.message;
    }
    say(text);
    const passed = clock.now() - createdAt;
    if (isWaiting && passed >= Math.min(limitMs, startMs)) {
      throw new TimeoutError(`The test pod did not start: ${text}`);
    }
    // Only a runner that has stopped its tests has results.
    if (clock.now() - (startedAt ?? createdAt) >= limitMs + stopMs) {
      return { code: undefined, progress: text, hasEnded: false };
    }
    await clock.sleep(pauseAfter(passed), signal);
    signal.throwIfAborted();
  }
}

async function podState(
  kubernetes: Pick<Kubernetes, "request">,
  signal: AbortSignal,
): Promise<PodState> {
  const { status } = await testPod(kubernetes, signal);
  const { containerStatuses, conditions, phase } = readFields(status);
  const list = (value: unknown) =>
    Array.isArray(value) ? value.map(readFields) : [];
  const findState = (name: string) =>
    readFields(list(containerStatuses).find((one) => one.name === name)?.state);
  const [runner, results] = [
    findState(runnerContainer),
    findState(resultsContainer),
  ];
  const { terminated } = runner;
  const known = terminated === undefined
    ? phaseCode(phase)
    : Number(readFields(terminated).exitCode);
  const unbound = list(conditions).find((one) =>
    one.type === "PodScheduled" && one.status === "False"
  );
  const held = [runner, results].map(({ waiting }) => readFields(waiting))
    .find(({ reason }) => reason !== undefined) ?? unbound;
  const why = [held?.reason, held?.message]
    .filter((text) => typeof text === "string" && text !== "");
  return {
    code: known,
    hasStarted: runner.running !== undefined || known !== undefined,
    hasLog: runner.running !== undefined || terminated !== undefined,
    hasResults: results.terminated !== undefined ||
      phaseCode(phase) !== undefined,
    waiting: ["the test pod is starting", ...why].join(": "),
  };
}

/** Exit status by pod phase, for pods without container statuses. */
function phaseCode(phase: unknown): number | undefined {
  if (phase === "Succeeded") return 0;
  return phase === "Failed" ? 1 : undefined;
}

async function testPod(
  kubernetes: Pick<Kubernetes, "request">,
  signal: AbortSignal,
) {
  try {
    return await kubernetes.request(testPodPath, { signal });
  } catch (error) {
    const isGone = error instanceof KubernetesError && error.code === 404;
    if (!isGone) throw error;
    throw new OsctlError("The test pod was deleted", { cause: error });
  }
}

/** Result files; none when the runner exited before it wrote any. */
async function results(
  { kubernetes, clock, signal }: TestContext,
): Promise<ReadonlyMap<ResultFile, string>> {
  const startedAt = clock.now();
  while (true) {
    try {
      const { hasResults } = await podState(kubernetes, signal);
      if (hasResults) {
        const path = `${testPodPath}/log?container=${resultsContainer}`;
        return await filesIn(await logText(kubernetes, path, signal));
      }
    } catch (error) {
      if (signal.aborted) throw error;
      // An evicted pod no longer has logs.
      if (error instanceof KubernetesError && !isAway(error)) return new Map();
      if (!isAway(error)) throw error;
    }
    const passed = clock.now() - startedAt;
    if (passed >= resultsMs) return new Map();
    await clock.sleep(pauseAfter(passed), signal);
    signal.throwIfAborted();
  }
}

/** Adds the container log when the runner has not written it to a file. */
async function withLog(
  files: ReadonlyMap<ResultFile, string>,
  { kubernetes, signal }: TestContext,
): Promise<ReadonlyMap<ResultFile, string>> {
  if (files.has("e2e.log")) return files;
  const path = `${testPodPath}/log?container=${runnerContainer}`;
  try {
    const log = await logText(kubernetes, path, signal);
    return log === "" ? files : new Map([...files, ["e2e.log", log]]);
  } catch (error) {
    if (signal.aborted || !(error instanceof KubernetesError)) throw error;
    return files;
  }
}

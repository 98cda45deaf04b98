/** Runs tests of Kubernetes in the cluster, by the image its developers make for that. */

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

/** What runs tests, and for how long. */
export interface TestContext {
  readonly kubernetes: Pick<Kubernetes, "request">;
  readonly clock: OperationClock;
  /** Time after which the runner ends the tests that still run, in milliseconds. */
  readonly limitMs: number;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** Called whenever there is something new to say. */
  readonly report: (text: string) => void;
}

/** How tests ended. */
export interface TestEnd {
  /** Exit status of the test runner; 0 when all succeeded, `undefined` when their time was over before. */
  readonly code: number | undefined;
  /** How far they were: `3 of 3 tests finished`. */
  readonly progress: string;
  /** How long they took, in milliseconds. */
  readonly tookMs: number;
  /** Log and results, by the names of their files; those that the runner wrote. */
  readonly files: ReadonlyMap<ResultFile, string>;
}

/** Tests of each mode of conformance, one after the other; those that change the cluster as a whole run alone. */
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

/** Longest time between two looks at the pod, in milliseconds. */
const longestPauseMs = 5_000;

/** Time until the next look at the pod, in milliseconds: the longer it takes already, the longer. */
function pauseAfter(passedMs: number): number {
  return Math.min(longestPauseMs, Math.max(250, passedMs / 8));
}

/** Longest time until both containers run, unless the tests have less; includes that images are pulled. In milliseconds. */
const startMs = 10 * 60_000;

/** Time for the runner to stop its tests and to write their results once their time is over, in milliseconds. */
const stopMs = 3 * 60_000;

/** Longest time until the results are printed, in milliseconds. */
const resultsMs = 2 * 60_000;

/** Longest time for removing everything after the end, in milliseconds. */
const removalMs = 5 * 60_000;

/**
 * Removes what an earlier run has left, runs tests, fetches their results, and removes everything again, whatever
 * happens. An API server that is away for a while does not end the tests: some of them load it. When their time is over,
 * the runner ends them and writes results; of one that does not, there is the log.
 *
 * @throws {TimeoutError} If the pod does not start.
 * @throws {OsctlError} If the pod is gone, or its results cannot be read.
 */
export async function runTests(
  site: TestContext,
  suite: TestSuite,
): Promise<TestEnd> {
  const { kubernetes, clock, signal, report } = site;
  await removeTests(kubernetes, clock, signal);
  try {
    for (const { path, body } of testObjects(suite, site.limitMs)) {
      // Each needs those before it.
      await kubernetes.request(path, { method: "POST", body, signal });
    }
    const startedAt = clock.now();
    const { hasEnded, ...end } = await untilFinished(site, startedAt);
    const tookMs = clock.now() - startedAt;
    report("fetching the results");
    const files = hasEnded ? await results(site) : new Map();
    return { ...end, tookMs, files: await withLog(files, site) };
  } finally {
    report(`removing the namespace ${testNamespace}`);
    await removed(site);
  }
}

/** Removes everything, also after an interrupt. What cannot be removed does not hide how the tests ended. */
async function removed(
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
  /** Whether the runner has started. */
  readonly hasStarted: boolean;
  readonly hasLog: boolean;
  /** Whether the results were printed. */
  readonly hasResults: boolean;
  /** Why it does not start; empty when nothing is said. */
  readonly waiting: string;
}

interface WaitEnd extends Pick<TestEnd, "code" | "progress"> {
  /** Whether the runner has ended. */
  readonly hasEnded: boolean;
}

async function untilFinished(
  site: TestContext,
  createdAt: number,
): Promise<WaitEnd> {
  const { kubernetes, clock, signal, limitMs, report } = site;
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
        // The runner had started before it was seen to run.
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

/** What the phase of a pod means where it does not say how its containers ended. */
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

/** Result files; none where the runner ended before it wrote any. */
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
      // A pod that was evicted has no logs any more.
      if (error instanceof KubernetesError && !isAway(error)) return new Map();
      if (!isAway(error)) throw error;
    }
    const passed = clock.now() - startedAt;
    if (passed >= resultsMs) return new Map();
    await clock.sleep(pauseAfter(passed), signal);
    signal.throwIfAborted();
  }
}

/** Adds the log of a runner that has not written it to a file. */
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

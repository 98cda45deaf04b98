/** Pods that run the Kubernetes e2e tests: their progress and container logs. */

import { gzipSync } from "node:zlib";
import { parseDuration } from "../../lib/duration.ts";
import { triggerFault } from "../state/faults.ts";
import {
  kinds,
  type KubeObject,
  readFields,
  readList,
} from "../state/kubernetes_objects.ts";
import { isTerminating, readNodeName, readPhase } from "./pod_objects.ts";
import type { KubernetesState } from "./store.ts";

const tests = [
  "[sig-node] Pods should be submitted and removed [NodeConformance] [Conformance]",
  "[sig-network] Services should serve a basic endpoint from pods [Conformance]",
  "[sig-network] Services should be able to change the type from ExternalName to ClusterIP [Conformance]",
] as const;

/** Duration of a test, in milliseconds. */
const testMs = 100;

/** Variable of the first container of a pod that selects the tests to run. */
const focusVariable = "E2E_FOCUS";

const flagsVariable = "E2E_EXTRA_GINKGO_ARGS";

/** Default timeout of the runner for all tests, in milliseconds. */
const defaultTimeoutMs = 24 * 3_600_000;

function readVariable({ spec }: KubeObject, wanted: string): unknown {
  const [runner] = readList(readFields(spec).containers);
  return readList(runner?.env).find(({ name }) => name === wanted)?.value;
}

function isTestPod(pod: KubeObject): boolean {
  return readVariable(pod, focusVariable) !== undefined;
}

/** Run time of the runner, in milliseconds. */
function runMs(state: Pick<KubernetesState, "cluster">, pod: KubeObject) {
  if (!hangs(state, pod)) return tests.length * testMs;
  const [, timeout = ""] = /--timeout=(\S+)/
    .exec(String(readVariable(pod, flagsVariable))) ?? [];
  return parseDuration(timeout) ?? defaultTimeoutMs;
}

/** Advances test pods: the runner exits after its tests, and the container with the results right after. */
export function runTestPods(state: KubernetesState): void {
  const { store, clock, due } = state;
  for (const pod of store.list(kinds.pods)) {
    const { uid } = pod.metadata;
    const runs = readPhase(pod) === "Running" && !isTerminating(pod);
    if (!runs || !isTestPod(pod)) continue;
    const end = due.get(uid) ?? clock.now() + runMs(state, pod);
    due.set(uid, end);
    if (clock.now() < end) continue;
    due.delete(uid);
    const code = hangs(state, pod) || failing(state, pod) ? 1 : 0;
    const [runner, ...others] = readList(
      readFields(pod.status).containerStatuses,
    );
    const ended = (status: object | undefined, exitCode: number) => ({
      ...status,
      ready: false,
      state: { terminated: { exitCode, finishedAt: new Date(end) } },
    });
    store.replace(kinds.pods, {
      ...pod,
      status: {
        ...pod.status,
        phase: code === 0 ? "Succeeded" : "Failed",
        containerStatuses: [
          ended(runner, code),
          ...others.map((one) => ended(one, 0)),
        ],
      },
    });
  }
}

function findNode(
  { cluster }: Pick<KubernetesState, "cluster">,
  pod: KubeObject,
) {
  return cluster.nodes.find(({ identity }) =>
    identity.hostname === readNodeName(pod)
  );
}

/** True if the last test fails because of a fault on the pod's node. */
function failing(state: KubernetesState, pod: KubeObject): boolean {
  const node = findNode(state, pod);
  return node !== undefined &&
    triggerFault(node, "tests-fail", "Tests") !== undefined;
}

/** True if the last test hangs because of a fault on the pod's node. */
function hangs(
  state: Pick<KubernetesState, "cluster">,
  pod: KubeObject,
): boolean {
  return findNode(state, pod)?.faults.has("tests-hang") === true;
}

interface TestRun {
  readonly count: number;
  /** Result of the last test, as in JUnit: `failed`. */
  readonly last: "passed" | "failed" | "timedout";
}

/** Current log of a container of a test pod; `undefined` for other pods. */
export function testLog(
  state: Pick<KubernetesState, "clock" | "cluster" | "due">,
  pod: KubeObject,
  container: string,
): string | undefined {
  if (!isTestPod(pod) || readPhase(pod) === "Pending") return undefined;
  const [runner] = readList(readFields(pod.spec).containers);
  const isFinished = readPhase(pod) !== "Running";
  const run = findRun(state, pod, isFinished);
  const lines = runnerLines(run, isFinished);
  if (container === runner?.name) return lines;
  return isFinished ? resultLines(lines, run) : "";
}

function findRun(
  state: Pick<KubernetesState, "clock" | "cluster" | "due">,
  pod: KubeObject,
  isFinished: boolean,
): TestRun {
  const last = hangs(state, pod) ? "timedout" : "failed";
  if (isFinished) {
    const isBad = readPhase(pod) === "Failed";
    return { count: tests.length, last: isBad ? last : "passed" };
  }
  const leftMs = (state.due.get(pod.metadata.uid) ?? 0) - state.clock.now();
  const passed = Math.floor((runMs(state, pod) - leftMs) / testMs);
  // The last test finishes with the runner.
  return { count: Math.min(tests.length - 1, Math.max(0, passed)), last };
}

function runnerLines({ count, last }: TestRun, isFinished: boolean): string {
  const isGood = last === "passed";
  const marks = tests.slice(0, count).map((name, index) => {
    const isBad = !isGood && index === tests.length - 1;
    const mark = isBad ? `• [${last.toUpperCase()}]` : "•";
    return `${mark} [0.100 seconds]\n${name}\n`;
  });
  const passed = tests.length - (isGood ? 0 : 1);
  const summary = isFinished
    ? `Ran 3 of 7205 Specs in 0.300 seconds\n${
      isGood ? "SUCCESS!" : "FAIL!"
    } -- ${passed} Passed | ${3 - passed} Failed | 0 Pending | 7202 Skipped\n`
    : "";
  return `Running Suite: Kubernetes e2e suite - /usr/local/bin
Will run ${tests.length} of 7205 specs
${marks.join("")}${summary}`;
}

function resultLines(log: string, { last }: TestRun): string {
  const cases = tests.map((name, index) => {
    const status = index === tests.length - 1 ? last : "passed";
    return `<testcase name="[It] ${name}" status="${status}" time="0.1"></testcase>`;
  });
  const junit =
    `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites><testsuite name="Kubernetes e2e suite">${
      cases.join("")
    }</testsuite></testsuites>\n`;
  const packed = [["e2e.log", log], ["junit_01.xml", junit]].map((
    [name, text = ""],
  ) => `file ${name}\n${gzipSync(text).toString("base64")}\n`);
  return `${packed.join("")}end\n`;
}

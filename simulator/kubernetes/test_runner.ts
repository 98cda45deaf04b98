/** Pods that run the tests of Kubernetes: how far they are, and what their containers log. */

import { gzipSync } from "node:zlib";
import { triggerFault } from "../faults/faults.ts";
import { fieldsOf, kinds, type KubeObject, listOf } from "./objects.ts";
import { isTerminating, nodeNameOf, phaseOf } from "./pod_objects.ts";
import type { KubernetesState } from "./store.ts";

/** Tests that a run has, whatever is asked for. */
const tests = [
  "[sig-node] Pods should be submitted and removed [NodeConformance] [Conformance]",
  "[sig-network] Services should serve a basic endpoint from pods [Conformance]",
  "[sig-network] Services should be able to change the type from ExternalName to ClusterIP [Conformance]",
] as const;

/** Time a test takes, in milliseconds. */
const testMs = 100;

/** Variable by which the first container of a pod is told which tests to run. */
const focusVariable = "E2E_FOCUS";

function isTestPod({ spec }: KubeObject): boolean {
  const [runner] = listOf(fieldsOf(spec).containers);
  return listOf(runner?.env).some(({ name }) => name === focusVariable);
}

/** Lets test pods get on: their runner ends after its tests, and the container with the results right after. */
export function runTestPods(state: KubernetesState): void {
  const { store, clock, due } = state;
  for (const pod of store.list(kinds.pods)) {
    const { uid } = pod.metadata;
    const runs = phaseOf(pod) === "Running" && !isTerminating(pod);
    if (!runs || !isTestPod(pod)) continue;
    const end = due.get(uid) ?? clock.now() + tests.length * testMs;
    due.set(uid, end);
    if (clock.now() < end) continue;
    due.delete(uid);
    const code = failing(state, pod) ? 1 : 0;
    const [runner, ...others] = listOf(fieldsOf(pod.status).containerStatuses);
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

/** Whether the last test fails, as the fault on the pod's node says. */
function failing({ cluster }: KubernetesState, pod: KubeObject): boolean {
  const node = cluster.nodes.find(({ identity }) =>
    identity.hostname === nodeNameOf(pod)
  );
  return node !== undefined &&
    triggerFault(node, "tests-fail", "Tests") !== undefined;
}

/** What a container of a test pod has logged by now; `undefined` for other pods. */
export function testLog(
  { clock, due }: Pick<KubernetesState, "clock" | "due">,
  pod: KubeObject,
  container: string,
): string | undefined {
  if (!isTestPod(pod) || phaseOf(pod) === "Pending") return undefined;
  const [runner] = listOf(fieldsOf(pod.spec).containers);
  const isFinished = phaseOf(pod) !== "Running";
  const lines = runnerLines(
    isFinished,
    phaseOf(pod) === "Failed",
    (due.get(pod.metadata.uid) ?? 0) - clock.now(),
  );
  if (container === runner?.name) return lines;
  return isFinished ? resultLines(lines, phaseOf(pod) === "Failed") : "";
}

function runnerLines(isFinished: boolean, fails: boolean, leftMs: number) {
  const count = isFinished
    ? tests.length
    : Math.max(0, tests.length - Math.ceil(leftMs / testMs));
  const marks = tests.slice(0, count).map((name, index) => {
    const mark = fails && index === tests.length - 1 ? "• [FAILED]" : "•";
    return `${mark} [0.100 seconds]\n${name}\n`;
  });
  const passed = tests.length - (fails ? 1 : 0);
  const summary = isFinished
    ? `Ran 3 of 7205 Specs in 0.300 seconds\n${
      fails ? "FAIL!" : "SUCCESS!"
    } -- ${passed} Passed | ${3 - passed} Failed | 0 Pending | 7202 Skipped\n`
    : "";
  return `Running Suite: Kubernetes e2e suite - /usr/local/bin
Will run ${tests.length} of 7205 specs
${marks.join("")}${summary}`;
}

function resultLines(log: string, fails: boolean): string {
  const cases = tests.map((name, index) => {
    const status = fails && index === tests.length - 1 ? "failed" : "passed";
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

import assert from "node:assert/strict";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import {
  runTests,
  type TestContext,
} from "../../../workflows/conformance/run_tests.ts";
import { logStart, readLog } from "../../../workflows/conformance/test_log.ts";
import { defaultResultsImage } from "../../../workflows/conformance/test_objects.ts";
import { countTests } from "../../../workflows/conformance/test_results.ts";
import { answering } from "../kubernetes/_answers.ts";
import { startKubernetes } from "../kubernetes/_kubernetes.ts";

const suite = {
  focus: "\\[Conformance\\]",
  skip: "",
  processes: 2,
  image: "registry.k8s.io/conformance:v1.34.1",
  resultsImage: defaultResultsImage,
};

async function scene(limitMs = 3_600_000) {
  const fake = await startKubernetes({ workers: 1 });
  const said: string[] = [];
  const context: TestContext = {
    kubernetes: fake.kubernetes,
    clock: fake.clock,
    limitMs,
    signal: fake.signal,
    report: (text) => void said.push(text),
  };
  const left = () =>
    [
      "/api/v1/namespaces/conformance",
      "/apis/rbac.authorization.k8s.io/v1/clusterroles/conformance-serviceaccount:conformance",
      "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/conformance-serviceaccount-role:conformance",
      "/api/v1/namespaces/conformance/pods/e2e-conformance-test",
      "/api/v1/namespaces/pods-4711",
    ].filter((path) => fake.ask(`GET ${path}`).code !== 404);
  return { ...fake, context, said, left };
}

Deno.test("tests that run out of time are ended by their runner, with log and results", async () => {
  const { context, nodes, said, left } = await scene(60_000);
  for (const node of nodes) await setFault(node, "tests-hang");
  const { code, progress, files } = await runTests(context, suite);
  assert.deepEqual(
    [code, progress],
    [undefined, "3 of 3 tests finished, 1 failed"],
  );
  assert.match(files.get("e2e.log") ?? "", /^• \[TIMEDOUT\] /m);
  assert.deepEqual(countTests(files.get("junit_01.xml") ?? ""), {
    passed: 2,
    skipped: 0,
    failed: [
      "[sig-network] Services should be able to change the type from ExternalName to ClusterIP [Conformance]",
    ],
  });
  assert.ok(said.includes("2 of 3 tests finished"));
  assert.deepEqual(left(), []);
});

Deno.test("of a runner that does not end, and of one that was killed, there is the log", async () => {
  const log = "Will run 3 of 7205 specs\n";
  const state = (of: unknown) => ({
    phase: "Running",
    containerStatuses: [{ name: "conformance-container", state: of }],
  });
  for (
    const [status, ended] of [
      [state({ running: {} }), undefined],
      [state({ terminated: { exitCode: 137 } }), 137],
    ] as const
  ) {
    const { context } = await scene(60_000);
    const kubernetes = answering({
      [pod]: { status },
      "/api/v1/namespaces?labelSelector=e2e-run": { items: [] },
      [`${pod}/log?container=conformance-container&timestamps=true`]: {
        text: `2026-01-02T03:04:05Z ${log}`,
      },
      [
        `${pod}/log?container=conformance-container&timestamps=true&sinceTime=2026-01-02T03:04:05Z`
      ]: { text: "" },
      [`${pod}/log?container=conformance-container`]: { text: log },
    });
    const { code, progress, files } = await runTests(
      { ...context, kubernetes },
      suite,
    );
    assert.deepEqual(
      [code, progress, ...files],
      [ended, "0 of 3 tests finished", ["e2e.log", log]],
    );
  }
});

Deno.test("an interrupt removes everything, also what the tests have created and an earlier run has left", async () => {
  const { context, ask, left } = await scene();
  const labels = { "app.kubernetes.io/managed-by": "osctl" };
  ask("POST /api/v1/namespaces", { metadata: { name: "conformance", labels } });
  const old = { name: "old", labels: { "e2e-run": "1" } };
  const stop = new AbortController();
  const interrupted = runTests({
    ...context,
    signal: stop.signal,
    report(text) {
      if (text !== "the test pod is starting") return;
      const metadata = { name: "pods-4711", labels: { "e2e-run": "2" } };
      ask("POST /api/v1/namespaces", { metadata });
      stop.abort(new Error("stopped"));
    },
  }, suite);
  await assert.rejects(interrupted, { message: "stopped" });
  assert.deepEqual(left(), []);
  // Of other tests, which did not begin with these.
  ask("POST /api/v1/namespaces", { metadata: old });
  await runTests(context, suite);
  assert.deepEqual(left(), []);
});

Deno.test("a namespace of that name that osctl has not created stays", async () => {
  const { context, ask, left } = await scene();
  ask("POST /api/v1/namespaces", { metadata: { name: "conformance" } });
  await assert.rejects(runTests(context, suite), {
    name: "RefusedError",
    message:
      'Cannot run the tests: namespace "conformance" exists and was not created by osctl',
  });
  assert.deepEqual(left(), ["/api/v1/namespaces/conformance"]);
});

Deno.test("an API server that is unavailable for a while does not end the tests", async () => {
  const { context, unplug, said } = await scene();
  let away = false;
  const { code } = await runTests({
    ...context,
    report(text) {
      context.report(text);
      if (away) return unplug(false);
      away = true;
      unplug(true);
    },
  }, suite);
  assert.equal(code, 0);
  assert.ok(said.includes("Cannot reach it"));
});

const pod = "/api/v1/namespaces/conformance/pods/e2e-conformance-test";

async function untilEnd(status: unknown, limitMs: number): Promise<string> {
  const { context, said } = await scene(limitMs);
  const kubernetes = answering({
    [pod]: status === 404 ? 404 : { status },
    "/api/v1/namespaces?labelSelector=e2e-run": { items: [] },
    [`${pod}/log?container=conformance-container&timestamps=true`]: {
      text: "",
    },
  });
  const ended = runTests({ ...context, kubernetes }, suite);
  const { message } = await ended.then(
    ({ code, files }) => ({ message: `${code}, ${files.size} files` }),
    (error: Error) => error,
  );
  return `${said[0]} | ${message}`;
}

Deno.test("runTests: names why tests do not start or finish", async () => {
  const waiting = (reason: string, message: string) => ({
    phase: "Pending",
    containerStatuses: [
      {
        name: "conformance-container",
        state: { waiting: { reason, message } },
      },
    ],
  });
  const running = {
    phase: "Running",
    containerStatuses: [{
      name: "conformance-container",
      state: { running: {} },
    }],
  };
  const hour = 3_600_000;
  assert.equal(
    await untilEnd(waiting("ImagePullBackOff", "not found"), hour),
    "the test pod is starting: ImagePullBackOff: not found | The test pod did not start: the test pod is starting: ImagePullBackOff: not found",
  );
  assert.equal(
    await untilEnd({
      conditions: [{
        type: "PodScheduled",
        status: "False",
        reason: "Unschedulable",
        message: "0/2 nodes are available",
      }],
    }, hour),
    "the test pod is starting: Unschedulable: 0/2 nodes are available | The test pod did not start: the test pod is starting: Unschedulable: 0/2 nodes are available",
  );
  assert.equal(
    await untilEnd(running, 60_000),
    "the tests are starting | undefined, 0 files",
  );
  assert.equal(
    await untilEnd(404, hour),
    "removing the namespace conformance | The test pod was deleted",
  );
  // A runner that was killed has written nothing.
  assert.equal(
    await untilEnd({ phase: "Failed" }, hour),
    "the tests are starting | 1, 0 files",
  );
});

Deno.test("a log is read on where it ended, also where two lines have one time", async () => {
  const log = (time: string, ...lines: readonly string[]) =>
    lines.map((line) => `2026-01-02T03:04:${time}Z ${line}\n`).join("");
  const texts = [
    log("05.100000000", "a", "b"),
    log("05.100000000", "a", "b", "c") + log("06.000000000", "d e"),
    log("06.000000000", "d e"),
  ];
  const kubernetes = answering({
    "/pod/log?container=main&timestamps=true": { text: texts[0] },
    "/pod/log?container=main&timestamps=true&sinceTime=2026-01-02T03:04:05Z": {
      text: texts[1],
    },
    "/pod/log?container=main&timestamps=true&sinceTime=2026-01-02T03:04:06Z": {
      text: texts[2],
    },
  });
  const { signal } = new AbortController();
  const read: string[] = [];
  let from = logStart;
  for (let count = 0; count < 3; count++) {
    const place = { pod: "/pod", container: "main", from };
    const { lines, end } = await readLog(kubernetes, place, signal);
    read.push(lines.join(","));
    from = end;
  }
  assert.deepEqual(read, ["a,b", "c,d e", ""]);
});

import assert from "node:assert/strict";
import { openApi } from "./_api.ts";

Deno.test("a pod that is told which tests to run has a log of them, and ends", async () => {
  const { ask, answer, pass } = await openApi();
  const pod = "/api/v1/namespaces/default/pods/tests";
  ask("POST /api/v1/namespaces/default/pods", {
    metadata: { name: "tests" },
    spec: {
      containers: [
        { name: "runner", env: [{ name: "E2E_FOCUS", value: "a" }] },
        { name: "results" },
      ],
      tolerations: [{ operator: "Exists" }],
    },
  });
  const readLog = (name: string) =>
    ask(`GET ${pod}/log?container=${name}`).split("\n").filter((line: string) =>
      /^(Will|•|Ran|file|end)/.test(line)
    ).map((line: string) => line.replace(/ \[.*/, ""));
  assert.deepEqual(
    [answer(`GET ${pod}/log`).code, ask(`GET ${pod}/log`).message],
    [
      400,
      'container "runner" in pod "tests" is waiting to start: ContainerCreating',
    ],
  );
  pass(50);
  assert.equal(ask(`GET ${pod}`).status.phase, "Running");
  assert.equal(
    ask(`GET ${pod}/log?tailLines=1&timestamps=true`),
    "2026-03-01T12:00:00.000000001Z Will run 3 of 7205 specs\n",
  );
  assert.deepEqual(readLog("runner"), ["Will run 3 of 7205 specs"]);
  assert.deepEqual(readLog("results"), []);
  pass(150);
  assert.deepEqual(readLog("runner"), ["Will run 3 of 7205 specs", "•"]);
  pass(150);
  assert.deepEqual(
    ask(`GET ${pod}`).status.containerStatuses.map(
      // deno-lint-ignore no-explicit-any
      ({ name, state }: any) => [name, state.terminated.exitCode],
    ),
    [["runner", 0], ["results", 0]],
  );
  assert.deepEqual(readLog("results"), [
    "file e2e.log",
    "file junit_01.xml",
    "end",
  ]);
  assert.equal(answer(`GET ${pod}/log?container=none`).code, 400);
});

Deno.test("objects in a namespace go with it", async () => {
  const { ask, answer } = await openApi();
  ask("POST /api/v1/namespaces", { metadata: { name: "lab" } });
  const place = "/api/v1/namespaces/lab/configmaps";
  ask(`POST ${place}`, { metadata: { name: "a" } });
  ask("DELETE /api/v1/namespaces/lab");
  assert.equal(answer(`GET ${place}/a`).code, 404);
  assert.equal(answer("GET /api/v1/namespaces/lab").code, 404);
});

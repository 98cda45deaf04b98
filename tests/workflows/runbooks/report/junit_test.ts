import assert from "node:assert/strict";
import { junit } from "../../../../workflows/runbooks/report/junit.ts";
import type { EventType } from "../../../../workflows/runbooks/event.ts";
import { foldRun } from "../../../../workflows/runbooks/report/run_state.ts";
import { event, golden, goldenStream } from "./_streams.ts";

for (const name of golden) {
  Deno.test(`junit writes the stream ${name} as is written beside it`, async () => {
    const url = new URL(`golden/${name}.junit.txt`, import.meta.url);
    assert.equal(
      junit(foldRun(await goldenStream(name))),
      await Deno.readTextFile(url),
    );
  });
}

/** Test cases of a stream, without their times. */
function listCases(events: Parameters<typeof foldRun>[0]): readonly string[] {
  return junit(foldRun(events)).trimEnd().split("\n")
    .filter((line) => !/<(\/|\?|testsuites|testsuite) ?/.test(line))
    .map((line) => line.trim().replace(/ time="[\d.]+"/, ""));
}

Deno.test("junit names nodes no step tells anything of", () => {
  const ended = (node: string, state: string, message?: string) =>
    event("node.ended", 1, {
      path: "workers",
      node,
      data: {
        state,
        ...message === undefined ? {} : { code: "quorum-risk", message },
      },
    });
  assert.deepEqual(
    listCases([
      ended("w-1", "done"),
      ended("w-2", "blocked", "S1: no"),
      ended("w-3", "skipped"),
      event("node.queued", 1, { path: "workers", node: "w-4" }),
    ]),
    [
      `<testcase classname="w-2" name="(node)">`,
      `<failure type="quorum-risk" message="S1: no"/>`,
      `<testcase classname="w-3" name="(node)">`,
      `<skipped message="skipped"/>`,
      `<testcase classname="w-4" name="(node)">`,
      `<skipped message="not reached"/>`,
    ],
  );
});

Deno.test("junit has titles, and nodes of fan-outs that never started as skipped cases", () => {
  const node = "w-1";
  const step = (id: string, module: string) => {
    const path = `canary/node/body/${id}`;
    return [
      event("step.start", 1, { path, node, data: { verb: "run", module } }),
      event("step.done", 1, { path, node, data: {} }),
    ];
  };
  assert.deepEqual(
    listCases([
      event("run.planned", 0, {
        data: {
          runbook: "roll",
          cluster: "prod",
          stages: [
            { path: "canary", title: "Upgrade one worker", verb: "forEach" },
            { path: "workers", title: "Upgrade workers", verb: "forEach" },
          ],
          fanOuts: [
            { path: "canary", nodes: [node] },
            { path: "workers", nodes: ["w-2"] },
          ],
          nodes: [{ node }, { node: "w-2" }],
        },
      }),
      ...step("restart", "node.reboot"),
      ...step("again", "node.reboot"),
    ]),
    [
      `<testcase classname="w-1" name="rebooting (restart)"/>`,
      `<testcase classname="w-1" name="rebooting (again)"/>`,
      `<testcase classname="w-2" name="(node)">`,
      `<skipped message="not reached"/>`,
    ],
  );
});

Deno.test("junit times a step by the process that ran it last", () => {
  const step = (id: string, seconds: number, type: EventType, data = {}) =>
    event(type, seconds, { path: `work/${id}`, node: "w-1", data });
  const run = { verb: "run", module: "node.drain" };
  const text = junit(foldRun([
    step("done", 0, "step.start", run),
    step("done", 2, "step.done"),
    step("again", 2, "step.start", run),
    step("again", 5, "step.failed", { code: "internal", message: "no" }),
    step("done", 600, "step.done"),
    step("again", 600, "step.start", run),
    step("again", 604, "step.done"),
  ]));
  assert.deepEqual(
    [...text.matchAll(/<testcase .* time="([^"]+)"/g)].map(([, time]) => time),
    ["2.000", "4.000"],
  );
});

Deno.test("junit shows a run that failed beside its steps as a failure", () => {
  const end = (state: string) =>
    listCases([event("run.ended", 1, { data: { state, status: 5 } })]);
  assert.deepEqual(end("blocked"), [
    `<testcase classname="run" name="(run)">`,
    `<failure type="blocked" message="the run ended: blocked"/>`,
  ]);
  assert.deepEqual(end("stopped"), []);
});

Deno.test("junit shows a step in doubt as an error", () => {
  const path = "workers/node/restart";
  assert.deepEqual(
    listCases([
      event("step.in-doubt", 1, {
        path,
        node: "w-1",
        data: { message: "lost" },
      }),
      event("run.ended", 2, { data: { state: "blocked", status: 5 } }),
    ]),
    [
      `<testcase classname="w-1" name="restart">`,
      `<error message="lost"/>`,
    ],
  );
});

Deno.test("junit keeps out what XML cannot hold", () => {
  const data = {
    code: "internal",
    message: `<a href="x">\x00\x1b[1m & \ud800`,
  };
  assert.deepEqual(
    listCases([event("step.failed", 1, { path: "final", data })]),
    [
      `<testcase classname="run" name="final">`,
      `<failure type="internal" message="&lt;a href=&quot;x&quot;&gt;[1m &amp; "/>`,
    ],
  );
});

Deno.test("junit shows a fan-out of a rescue that was refused itself, and not one whose node failed", () => {
  const failed = (path: string, step: string, node?: string) =>
    event("step.failed", 1, {
      path,
      ...node === undefined ? {} : { node },
      data: { code: "refused", message: "no", step },
    });
  assert.deepEqual(
    listCases([
      failed("work", "work"),
      event("step.done", 1, { path: "undo/back", node: "w-1", data: {} }),
      failed("undo", "undo"),
      failed("again/back", "again/back", "w-1"),
      failed("again", "again/back"),
    ]).filter((line) => line.startsWith("<testcase")),
    [
      `<testcase classname="run" name="work">`,
      `<testcase classname="run" name="undo">`,
      `<testcase classname="w-1" name="back"/>`,
      `<testcase classname="w-1" name="back">`,
    ],
  );
});

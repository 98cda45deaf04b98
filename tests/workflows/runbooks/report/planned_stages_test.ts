import assert from "node:assert/strict";
import { plannedStages } from "../../../../workflows/runbooks/report/planned_stages.ts";
import type {
  Runbook,
  Step,
  StepHead,
} from "../../../../workflows/runbooks/runbook.ts";

const place = { file: "x.yaml", line: 1, column: 1 };

function head(id: string): StepHead {
  return { id, onFailure: "fail", pointOfNoReturn: false, place };
}

function each(id: string, nodes: string): Step {
  const strategy = { batch: 1, maxFailures: 0 };
  return {
    ...head(id),
    verb: "forEach",
    nodes,
    strategy,
    steps: [],
    rescue: [],
    always: [],
  };
}

const runbook: Runbook = {
  v: 1,
  name: "r",
  title: "R",
  per: "cluster",
  requires: { needs: [] },
  inputs: {},
  vars: [],
  policy: { lock: "cluster", membership: "open", window: [], allow: [] },
  groups: {},
  steps: [
    { ...head("pause"), title: "A pause", verb: "sleep", duration: "1s" },
    each("workers", "workers"),
    each("later", "later"),
  ],
  rescue: [],
  always: [],
  outputs: {},
  place,
};

Deno.test("plannedStages lists the steps, and how many nodes each is for", () => {
  const groups: Readonly<Record<string, readonly string[]>> = {
    workers: ["w-1", "w-2"],
  };
  assert.deepEqual(plannedStages(runbook, (name) => groups[name]), [
    { path: "pause", title: "A pause", verb: "sleep" },
    { path: "workers", verb: "forEach", nodes: 2 },
    { path: "later", verb: "forEach" },
  ]);
});

Deno.test("plannedStages says which steps have ended before", () => {
  const before = (path: string) => path === "pause" ? "done" : undefined;
  const [first, second] = plannedStages(runbook, () => undefined, before);
  assert.deepEqual(
    [first, second],
    [
      { path: "pause", title: "A pause", verb: "sleep", state: "done" },
      { path: "workers", verb: "forEach" },
    ],
  );
});

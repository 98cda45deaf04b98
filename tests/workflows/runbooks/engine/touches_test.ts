import assert from "node:assert/strict";
import type { Frame } from "../../../../workflows/runbooks/engine/frame.ts";
import {
  changes,
  disturbs,
  doneKey,
} from "../../../../workflows/runbooks/engine/touches.ts";
import type { Module } from "../../../../workflows/runbooks/module.ts";
import type { Step } from "../../../../workflows/runbooks/runbook.ts";
import { demo } from "../run/_runs.ts";

/** Modules that are named after their effects. */
const engine = {
  module: (name: string) =>
    // Nobody looks at anything else.
    ({ kind: name === "read" ? "read" : "command", effect: name }) as Module,
};

const head = {
  onFailure: "fail",
  pointOfNoReturn: false,
  place: demo.place,
} as const;

function run(id: string, module: string): Step {
  return { ...head, id, verb: "run", module, with: {} };
}

function block(
  steps: readonly Step[],
  rescue: readonly Step[] = [],
  always: readonly Step[] = [],
): Step {
  return { ...head, id: "block", verb: "block", steps, rescue, always };
}

function forEach(step: Step): Step {
  const { steps, rescue, always } = block([step]) as Extract<
    Step,
    { readonly verb: "block" }
  >;
  return {
    ...head,
    id: "each",
    verb: "forEach",
    nodes: "all",
    strategy: { batch: 1, maxFailures: 0 },
    steps,
    rescue,
    always,
  };
}

function use(lists: Partial<Pick<typeof demo, "steps" | "rescue" | "always">>) {
  const runbook = { ...demo, steps: [], ...lists };
  return { ...head, id: "use", verb: "use", with: {}, runbook } as const;
}

const frame: Frame = {
  book: { runbook: demo, path: "", inputs: {}, vars: {}, groups: new Map() },
  path: "workers",
  node: "w-1",
  entry: 2,
  outputs: new Map(),
  around: [],
  fresh: true,
  finishing: false,
  position: { carrying: false },
};

const sleep: Step = { ...head, id: "rest", verb: "sleep", duration: "1s" };

Deno.test("modules that disrupt or destroy disturb a node, others do not", () => {
  const found = ["read", "write", "disrupt", "destroy"].filter((effect) =>
    disturbs(engine, [run("a", effect)])
  );
  assert.deepEqual(found, ["disrupt", "destroy"]);
  assert.equal(disturbs(engine, []), false);
  assert.equal(disturbs(engine, [sleep]), false);
});

Deno.test("what is inside of steps disturbs as well, wherever it stands", () => {
  const calm = run("a", "write");
  const bad = run("b", "disrupt");
  assert.equal(disturbs(engine, [sleep, calm, bad]), true);
  assert.equal(disturbs(engine, [block([calm], [calm], [calm])]), false);
  assert.equal(disturbs(engine, [block([bad])]), true);
  assert.equal(disturbs(engine, [block([calm], [bad])]), true);
  assert.equal(disturbs(engine, [block([calm], [], [bad])]), true);
  assert.equal(disturbs(engine, [block([block([forEach(bad)])])]), true);
  assert.equal(disturbs(engine, [forEach(calm)]), false);
  assert.equal(disturbs(engine, [use({ steps: [calm] })]), false);
  assert.equal(disturbs(engine, [use({ steps: [bad] })]), true);
  assert.equal(disturbs(engine, [use({ rescue: [bad] })]), true);
  assert.equal(disturbs(engine, [use({ always: [bad] })]), true);
});

Deno.test("a step that was done is known by path, node and entry", () => {
  assert.equal(doneKey(frame, { id: "restart" }), "workers/restart@w-1#2");
  const { node: _, ...top } = { ...frame, path: "" };
  assert.equal(doneKey(top, { id: "start" }), "start@#2");
});

Deno.test("a step has changed something when it was done and is no mere look", () => {
  const done = new Set(["workers/a@w-1#2"]);
  const changed = (step: Step, at = frame) =>
    changes({ ...engine, done }, at, step);
  assert.equal(changed(run("a", "write")), true);
  assert.equal(changed(run("a", "disrupt")), true);
  assert.equal(changed(run("a", "read")), false);
  assert.equal(changed(run("b", "write")), false);
  assert.equal(changed({ ...sleep, id: "a" }), false);
  assert.equal(changed(run("a", "write"), { ...frame, entry: 3 }), false);
  assert.equal(changed(run("a", "write"), { ...frame, node: "w-2" }), false);
});

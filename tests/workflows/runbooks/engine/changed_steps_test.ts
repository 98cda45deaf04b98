import assert from "node:assert/strict";
import {
  disturbs,
  sentTo,
} from "../../../../workflows/runbooks/engine/changed_steps.ts";
import { RunHistory } from "../../../../workflows/runbooks/journal/history.ts";
import type { Module } from "../../../../workflows/modules/module.ts";
import type { Step, StepOf } from "../../../../workflows/runbooks/runbook.ts";
import { demo } from "../store/_runs.ts";

/** Modules that are named after their effects. */
const engine = {
  module: (name: string) =>
    // Nobody looks at anything else.
    ({
      kind: name === "read" ? "read" : "change",
      operation: { effect: name },
    }) as Module,
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
  const { steps, rescue, always } = block([step]) as StepOf<"block">;
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

const sleep: Step = { ...head, id: "rest", verb: "sleep", duration: "1s" };

Deno.test("modules that disrupt or destroy disturb a node, others do not", () => {
  const found = ["read", "write", "disrupt", "destroy"].filter((effect) =>
    disturbs(engine, [run("a", effect)])
  );
  assert.deepEqual(found, ["disrupt", "destroy"]);
  assert.equal(disturbs(engine, []), false);
  assert.equal(disturbs(engine, [sleep]), false);
});

Deno.test("changed steps: nested steps count as disruptive", () => {
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

Deno.test("something was sent when a step, or one inside of it, has an intent of this entry", () => {
  const history = new RunHistory();
  const sent = (key: string, entry: number) =>
    history.instances.set(key, {
      intent: {
        key: null,
        input: null,
        entry,
        operation: "reboot",
        acknowledged: true,
        steps: [],
      },
    });
  const at = { path: "workers/node", node: "w-1", entry: 2 };
  const isSent = (id: string, place: Parameters<typeof sentTo>[1] = at) =>
    sentTo({ history }, place, [{ id }]).size > 0;
  sent("workers/node/revert@w-1", 2);
  sent("workers/node/block/inner@w-1", 2);
  sent("workers/node/old@w-1", 1);
  sent("workers/node/other@w-2", 2);
  history.instances.set("workers/node/look@w-1", {});
  assert.equal(isSent("revert"), true);
  assert.equal(isSent("block"), true);
  assert.equal(isSent("rev"), false);
  assert.equal(isSent("old"), false);
  assert.equal(isSent("other"), false);
  assert.equal(isSent("look"), false);
  // A fan-out in the rescue of a block of the whole cluster.
  sent("os/take-back/patch@w-7", 1);
  sent("os/take-back/patch@w-8", 1);
  assert.deepEqual(
    [...sentTo({ history }, { path: "os", entry: 3 }, [{ id: "take-back" }])],
    ["w-7", "w-8"],
  );
});

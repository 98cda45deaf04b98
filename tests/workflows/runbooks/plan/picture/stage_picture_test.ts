import assert from "node:assert/strict";
import {
  sectionPicture,
  stagePicture,
} from "../../../../../workflows/runbooks/plan/picture/stage_picture.ts";
import type { PlanStage } from "../../../../../workflows/runbooks/plan/plan.ts";
import { head, walk } from "./_plans.ts";

/** Texts of a drawing, in order. */
function textsOf({ svg }: { readonly svg: string }): readonly string[] {
  return [...svg.matchAll(/>([^<>]+)<\/text>/g)].map(([, text = ""]) => text);
}

function workers(count: number): PlanStage {
  return {
    ...head("workers"),
    verb: "forEach",
    group: "workers",
    batches: Array.from({ length: count }, (_, i) => [`w-${i}`]),
    ramp: false,
    maxUnavailable: 1,
    maxFailures: 0,
    steps: [{ ...head("workers/rest"), verb: "sleep", duration: "1s" }],
    rescue: [],
    always: [],
  };
}

Deno.test("stagePicture draws a block with its work, rescue and end", () => {
  const texts = textsOf(stagePicture(walk("a", ["w-1"]), [], 600));
  const wanted = [
    "node",
    "cordon",
    "point of no return",
    "back",
    "on failure",
    "revert",
    "always",
    "uncordon",
  ];
  assert.deepEqual(texts.filter((text) => wanted.includes(text)), wanted);
  assert.ok(texts.includes("runbook node-upgrade"));
});

Deno.test("stagePicture draws the verdicts about a step below it", () => {
  const stage = { ...head("a/b"), verb: "sleep", duration: "1s" } as const;
  const verdicts = [
    { rule: "S1", state: "waits", reason: "x", path: "a/b" },
    { rule: "S2", state: "waits", reason: "y", path: "a/c" },
  ] as const;
  assert.deepEqual(textsOf(stagePicture(stage, verdicts, 600)), [
    "b",
    "sleep 1s",
    "S1 waits: x",
  ]);
});

Deno.test("stagePicture puts the nodes beside the steps, where they fit", () => {
  const wide = stagePicture(workers(3), [], 1040);
  const narrow = stagePicture(workers(3), [], 400);
  assert.ok(wide.height < narrow.height);
  const many = stagePicture(workers(60), [], 1040);
  assert.ok(
    textsOf(many).indexOf("sleep 1s") <
      textsOf(many).indexOf("60 nodes of workers"),
  );
});

Deno.test("stagePicture draws a box that is omitted as such", () => {
  const block: PlanStage = {
    ...head("a", { happens: "no" }),
    verb: "block",
    steps: [],
    rescue: [],
    always: [],
  };
  assert.match(stagePicture(block, [], 400).svg, /<rect class="left-out"/);
});

Deno.test("sectionPicture is nothing without steps", () => {
  assert.equal(sectionPicture("always", [], [], 400).height, 0);
});

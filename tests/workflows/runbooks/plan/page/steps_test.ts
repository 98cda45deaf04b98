import assert from "node:assert/strict";
import { renderSteps } from "../../../../../workflows/runbooks/plan/page/steps.ts";
import type { PlanStage } from "../../../../../workflows/runbooks/plan/plan.ts";
import { head, walk } from "./_plans.ts";

/** Texts of a page with their classes, in order. */
function parseTexts(html: string): readonly string[] {
  const texts = html.matchAll(
    /<(?:(strong)|\w+ class="(?:badge )?([^"]+)")>([^<]+)</g,
  );
  return [...texts].flatMap(([, strong, look, text = ""]) =>
    text.trim() === "" ? [] : [`${strong ?? look}: ${text}`]
  );
}

const cases: Readonly<Record<string, readonly [PlanStage, readonly string[]]>> =
  {
    "a module that does one thing": [{
      ...head("a"),
      verb: "run",
      module: "m",
      effect: "destroy",
      previews: [{
        outcome: "change",
        actions: [{ action: "reboot" }, { action: "wipe", loses: "data" }],
        reason: "it is old",
      }],
    }, [
      "strong: a",
      "quiet: m (destroys)",
      "change: changes",
      "change: reboot",
      "bad: wipe: loses data",
      "quiet: it is old",
    ]],
    "a module that a rule forbids on a node": [{
      ...head("a"),
      verb: "run",
      module: "m",
      effect: "read",
      previews: [
        { node: "w-1", outcome: "refused", actions: [], reason: "S6" },
        { node: "w-2", outcome: "nothing", actions: [] },
        { node: "w-3", outcome: "refused", actions: [] },
      ],
    }, [
      "strong: a",
      "quiet: m",
      "bad: 2 refused, 1 no change",
      "bad: w-1: S6",
      "bad: w-3: refused",
    ]],
    "a module that a rule forbids": [{
      ...head("a"),
      verb: "run",
      module: "m",
      effect: "read",
      previews: [{ outcome: "refused", actions: [], reason: "no" }],
    }, ["strong: a", "quiet: m", "bad: refused", "bad: no"]],
    "a module of which nothing is known": [{
      ...head("a"),
      verb: "run",
      module: "m",
      effect: "read",
      previews: [{ outcome: "unknown", actions: [] }],
    }, ["strong: a", "quiet: m", "quiet: at run time"]],
    "a gate that is not decided": [{
      ...head("a"),
      verb: "gate",
      within: "",
      checks: [
        { check: "c", state: "unknown" },
        { check: "d", state: "holds", reason: "all" },
      ],
    }, [
      "strong: a",
      "quiet: gate",
      "quiet: 1 at run time, 1 holds",
      "quiet: c at run time",
      "good: d holds: all",
    ]],
    "a gate that is left out": [{
      ...head("a"),
      verb: "gate",
      within: "5m",
      checks: [{ check: "c", state: "skip" }],
    }, [
      "strong: a",
      "quiet: gate within 5m",
      "quiet: skipped",
      "quiet: c skipped",
    ]],
    "an assertion that does not hold": [{
      ...head("a"),
      verb: "assert",
      that: "false",
      holds: "no",
      message: "It is not so",
    }, ["strong: a", "quiet: assert false", "bad: fails", "bad: It is not so"]],
    "a decision of later": [
      { ...head("a"), verb: "decide", name: "n" },
      ["strong: a", "quiet: decide n", "quiet: at run time"],
    ],
    "a sleep of unknown length": [
      { ...head("a"), verb: "sleep", duration: "" },
      ["strong: a", "quiet: sleep"],
    ],
    "a step that is left out, without what it would do": [{
      ...head("a", { happens: "no", when: "false" }),
      verb: "approve",
      tag: "t",
      message: "Go?",
      destructive: true,
    }, [
      "strong: a",
      "quiet: approval t",
      "quiet: skipped",
      "quiet: when false",
    ]],
  };

for (const [name, [stage, texts]] of Object.entries(cases)) {
  Deno.test(`renderSteps shows ${name}`, () => {
    assert.deepEqual(parseTexts(renderSteps([stage], [])), texts);
  });
}

Deno.test("renderSteps shows a block with its work, rescue and end", () => {
  const texts = parseTexts(renderSteps([walk("a", ["w-1"])], []));
  const wanted = [
    "strong: node",
    "strong: cordon",
    "no-return: point of no return",
    "strong: back",
    "warn: on failure",
    "strong: revert",
    "warn: always",
    "strong: uncordon",
  ];
  assert.deepEqual(texts.filter((text) => wanted.includes(text)), wanted);
  assert.ok(texts.includes("quiet: runbook node-upgrade"));
});

Deno.test("renderSteps marks a block that is skipped, and one that is not reached", () => {
  const block = { verb: "block", steps: [], rescue: [], always: [] } as const;
  const skipped = { ...head("a", { happens: "no" }), ...block };
  const late = { ...head("b", { happens: "no", behind: "a" }), ...block };
  const html = renderSteps([skipped, late], []);
  assert.match(
    html,
    /"step left-out">.*>skipped<.*"step left-out">.*>not reached</s,
  );
});

Deno.test("renderSteps puts many nodes below the steps", () => {
  const fanOut = (count: number): PlanStage => ({
    ...head("workers"),
    verb: "forEach",
    group: "workers",
    batches: Array.from({ length: count }, (_, i) => [`w-${i}`]),
    ramp: false,
    maxUnavailable: 1,
    maxFailures: 0,
    steps: [],
    rescue: [],
    always: [],
  });
  assert.match(renderSteps([fanOut(48)], []), /class="fan-out"/);
  assert.match(renderSteps([fanOut(49)], []), /class="large fan-out"/);
});

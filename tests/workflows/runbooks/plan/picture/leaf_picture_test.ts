import assert from "node:assert/strict";
import {
  drawCondition,
  headline,
  type Leaf,
  leafPicture,
  verdictsPicture,
} from "../../../../../workflows/runbooks/plan/picture/leaf_picture.ts";
import { head } from "./_plans.ts";

/** Texts of a drawing with their looks, in order. */
function textsOf({ svg }: { readonly svg: string }): readonly string[] {
  const texts = svg.matchAll(
    /<text class="(\w+)"[^>]*>(?:<title>[^<]*<\/title>)?([^<]*)/g,
  );
  return [...texts].map(([, ink, text]) => `${ink}: ${text}`);
}

const cases: Readonly<Record<string, readonly [Leaf, readonly string[]]>> = {
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
    "change: change",
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
    "bad: 2 refused, 1 nothing",
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
  }, ["strong: a", "quiet: m", "quiet: unknown"]],
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
    "quiet: 1 unknown, 1 holds",
    "quiet: c unknown",
    "good: d holds: all",
  ]],
  "a gate that is left out": [{
    ...head("a"),
    verb: "gate",
    within: "5m",
    checks: [{ check: "c", state: "skip" }],
  }, ["strong: a", "quiet: gate within 5m", "quiet: skip", "quiet: c skip"]],
  "an assertion that does not hold": [{
    ...head("a"),
    verb: "assert",
    that: "false",
    holds: "no",
    message: "It is not so",
  }, ["strong: a", "quiet: assert false", "bad: fails", "bad: It is not so"]],
  "a decision of later": [
    { ...head("a"), verb: "decide", name: "n" },
    ["strong: a", "quiet: decide n", "quiet: unknown"],
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
  }, ["quiet: a", "quiet: approval t", "quiet: skipped", "quiet: when false"]],
};

for (const [name, [stage, texts]] of Object.entries(cases)) {
  Deno.test(`leafPicture draws ${name}`, () => {
    assert.deepEqual(textsOf(leafPicture(stage, 600)), texts);
  });
}

Deno.test("headline omits what there is no room for", () => {
  const stage = {
    ...head("long-name-of-a-step"),
    verb: "sleep",
    duration: "",
  } as const;
  const said = {
    stage,
    look: "plain",
    detail: "x",
    badge: "b",
    ink: "bad",
  } as const;
  assert.deepEqual(textsOf(headline(said, 180)), [
    "strong: long-name-of-a-step",
    "bad: b",
  ]);
});

Deno.test("drawCondition says that a condition is decided later", () => {
  const stage = {
    ...head("a", { when: "x", happens: "unknown" }),
    verb: "sleep",
    duration: "",
  } as const;
  assert.deepEqual(textsOf(drawCondition(stage, 600)), [
    "quiet: when x, decided at run time",
  ]);
});

Deno.test("verdictsPicture says what each rule says", () => {
  const verdicts = [
    { rule: "S1", state: "refuses", reason: "no quorum", node: "cp-1" },
    { rule: "S3", state: "overridden", reason: "lab" },
    { rule: "S6", state: "holds", reason: "once" },
  ] as const;
  assert.deepEqual(textsOf(verdictsPicture(verdicts, 600)), [
    "bad: S1 refuses cp-1: no quorum",
    "warn: S3 overridden: lab",
    "good: S6 holds: once",
  ]);
});

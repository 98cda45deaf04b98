import assert from "node:assert/strict";
import { placeIn } from "../../../../workflows/runbooks/language/source_places.ts";
import { book, finders, load } from "./_finders.ts";
import {
  type LoadOptions,
  loadRunbook,
} from "../../../../workflows/runbooks/language/loading/load.ts";
import {
  RunbookError,
  sourceProblemText,
} from "../../../../workflows/runbooks/language/problem.ts";

const text = book(
  "inputs: { x: { type: int } }",
  "steps:",
  "  - id: a",
  "    gate:",
  "      - check: cluster.health",
  "        with: { group: g }",
  "groups: { g: { where: node.ready } }",
);

Deno.test("placeIn finds values, and the nearest thing around what is not there", async () => {
  const runbook = await load({ "a.yaml": text });
  const [step] = runbook.steps;
  assert.ok(step?.verb === "gate");
  const [check] = step.checks;
  const group = runbook.groups["g"];
  assert.ok(check && group);
  const where = [
    placeIn(step, "id"),
    placeIn(step, "gate", 0, "with", "group"),
    placeIn(check, "with", "group"),
    placeIn(check, "with", "other"),
    placeIn(check, "when"),
    placeIn(step, "gate", 7, "x"),
    placeIn(group, "where"),
    placeIn(runbook, "inputs", "x", "type"),
  ].map(({ line, column }) => `${line}:${column}`);
  assert.deepEqual(where, [
    "7:9",
    "10:24",
    "10:24",
    "10:15",
    "9:9",
    "9:7",
    "11:23",
    "5:22",
  ]);
});

Deno.test("placeIn gives the place of what was not read from a file", () => {
  const place = { file: "x.ts", line: 1, column: 1 };
  assert.equal(placeIn({ place }, "with", "a"), place);
});

async function problems(document: unknown): Promise<readonly string[]> {
  const options: LoadOptions = {
    find: finders,
    read: () => Promise.resolve("a program"),
    build: () => Promise.resolve(JSON.stringify(document)),
  };
  try {
    await loadRunbook("a.runbook.ts", options);
    return [];
  } catch (error) {
    if (!(error instanceof RunbookError)) throw error;
    return error.problems.map(sourceProblemText);
  }
}

const head = { apiVersion: "osctl/v1", kind: "Runbook", name: "a", title: "A" };

Deno.test("problems in what a program made are told by their paths", async () => {
  const steps = [
    { id: "a", slep: "1s" },
    { id: "b", run: "etcd.statu", timeout: 5 },
    { id: "c", when: "nod.ready", block: [{ id: "d", sleep: "5 m" }] },
  ];
  assert.deepEqual((await problems({ ...head, steps })).toSorted(), [
    'a.runbook.ts:1:1: steps[0].slep: Unknown key "slep" (Did you mean "sleep"?)',
    "a.runbook.ts:1:1: steps[0]: This step does nothing (Give one of run, gate, approve, assert, decide, sleep, forEach, block, use)",
    'a.runbook.ts:1:1: steps[1].run: There is no module "etcd.statu" (Did you mean "etcd.status"?)',
    "a.runbook.ts:1:1: steps[1].timeout: 5 has no unit (Give a duration such as 90s or 1h30m)",
    'a.runbook.ts:1:1: steps[2].block[0].sleep: "5 m" is not a duration (Give a duration such as 90s or 1h30m)',
    'a.runbook.ts:1:1: steps[2].when: Unknown name "nod", in "nod.ready" (In scope here: inputs, vars, groups, cluster, steps, decisions)',
  ]);
});

Deno.test("what is missing in what a program made is reported for the whole", async () => {
  const { title: _, ...rest } = head;
  const steps = [{ id: "a", sleep: "1s" }];
  assert.deepEqual(await problems({ ...rest, steps }), [
    'a.runbook.ts:1:1: This runbook has no "title" (Give a text)',
  ]);
});

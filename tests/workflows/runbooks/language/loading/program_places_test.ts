import assert from "node:assert/strict";
import {
  type LoadOptions,
  loadRunbook,
} from "../../../../../workflows/runbooks/language/loading/load.ts";
import {
  mistakeText,
  RunbookError,
} from "../../../../../workflows/runbooks/language/problem.ts";
import { finders } from "../_finders.ts";

async function mistakes(document: unknown): Promise<readonly string[]> {
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
    return error.mistakes.map(mistakeText);
  }
}

const head = { apiVersion: "osctl/v1", kind: "Runbook", name: "a", title: "A" };

Deno.test("mistakes in what a program made are told by their paths", async () => {
  const steps = [
    { id: "a", slep: "1s" },
    { id: "b", run: "etcd.statu", timeout: 5 },
    { id: "c", when: "nod.ready", block: [{ id: "d", sleep: "5 m" }] },
  ];
  assert.deepEqual((await mistakes({ ...head, steps })).toSorted(), [
    'a.runbook.ts:1:1: steps[0].slep: Unknown key "slep" (Did you mean "sleep"?)',
    "a.runbook.ts:1:1: steps[0]: This step does nothing (Give one of run, gate, approve, assert, decide, sleep, forEach, block, use)",
    'a.runbook.ts:1:1: steps[1].run: There is no module "etcd.statu" (Did you mean "etcd.status"?)',
    "a.runbook.ts:1:1: steps[1].timeout: 5 has no unit (Give a duration such as 90s or 1h30m)",
    'a.runbook.ts:1:1: steps[2].block[0].sleep: "5 m" is not a duration (Give a duration such as 90s or 1h30m)',
    'a.runbook.ts:1:1: steps[2].when: Unknown name "nod", in "nod.ready" (In scope here: inputs, vars, groups, cluster, steps, decisions)',
  ]);
});

Deno.test("what is missing in what a program made is told of the whole", async () => {
  const { title: _, ...rest } = head;
  const steps = [{ id: "a", sleep: "1s" }];
  assert.deepEqual(await mistakes({ ...rest, steps }), [
    'a.runbook.ts:1:1: This runbook has no "title" (Give a text)',
  ]);
});

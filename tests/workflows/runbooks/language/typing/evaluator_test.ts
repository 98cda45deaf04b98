import assert from "node:assert/strict";
import { ConfigError } from "../../../../../errors.ts";
import {
  type ExpressionContext,
  makeEvaluator,
} from "../../../../../workflows/runbooks/language/typing/evaluator.ts";
import type { Scope } from "../../../../../workflows/runbook_cel/facts.ts";
import { findAll } from "../../../../../workflows/runbooks/language/lookup.ts";
import { node, scope } from "../../../runbook_cel/_scope.ts";
import { finders, load } from "./_finders.ts";

const runbook = await load(`
apiVersion: osctl/v1
kind: Runbook
name: a
title: A
inputs:
  limit: { type: duration, default: 1m }
  file: { type: path }
  count: { type: int, default: 2 }
groups: { all: { role: worker } }
vars: { double: "\${{ inputs.count * 2 }}" }
steps:
  - { id: issue, run: etcd.assess }
  - id: outer
    block:
      - { id: source, run: etcd.chooseSource }
      - { id: issue, run: etcd.assess }
      - id: each
        forEach: { nodes: all, strategy: { batch: 1 } }
        steps: [{ id: copy, run: etcd.copyDatabase }]
    rescue: [{ id: back, run: etcd.assess }]
`);

const found = await findAll(
  ["etcd.assess", "etcd.chooseSource", "etcd.copyDatabase", "ca.verify"],
  finders,
);

const asked: string[] = [];
const evaluator = makeEvaluator(found, {
  reached: (path) => {
    asked.push(path);
    return path.startsWith("used/");
  },
  now: () => Date.UTC(2026, 0, 3),
});

const values: Scope = {
  inputs: { limit: "90s", count: 2 },
  vars: { double: 4 },
  groups: { all: [node("n1"), node("n2")] },
  cluster: scope.cluster,
  steps: { source: { takenAt: "2026-01-02T00:00:00Z" } },
  decisions: {},
  node: node("n1"),
};

const top: ExpressionContext = { runbook, book: "", path: "" };

Deno.test("values have the types that the runbook declares", () => {
  const inner: ExpressionContext = { runbook, book: "", path: "outer/each" };
  const evaluate = (source: string, at = top) =>
    evaluator.evaluate(source, values, at);
  assert.equal(evaluate('inputs.limit > duration("1m")'), true);
  assert.equal(evaluate("now() - steps.source.takenAt", inner), "24h0m0s");
  assert.equal(evaluate("groups.all[1].name + node.name"), "n2n1");
  assert.equal(evaluate("vars.double + inputs.count"), 6);
  assert.equal(evaluate("inputs.file"), null);
  assert.equal(evaluate("has(inputs.file)"), false);
  assert.throws(() => evaluate("inputs.file + 'x'"), ConfigError);
  assert.throws(() => evaluate("steps.source.takenAt"), ConfigError);
});

Deno.test("the type of a result is that of the module, if it is known", () => {
  const at = { ...top, module: "ca.verify" };
  const seen = { ...values, result: { ok: 3, total: 3 } };
  const condition = "result.ok == result.total";
  assert.equal(evaluator.evaluate(condition, seen, at), true);
  assert.equal(evaluator.evaluate(condition, seen, top), true);
  assert.throws(
    () => evaluator.evaluate("result.okay == 1", seen, at),
    /"result" has no "okay"/,
  );
});

Deno.test("the step that is requested is the nearest of that id", () => {
  const reached = (id: string, at: ExpressionContext) => {
    asked.length = 0;
    const answer = evaluator.evaluate(`reached('${id}')`, values, at);
    return [answer, ...asked];
  };
  const inside = { runbook, book: "", path: "outer/each" };
  assert.deepEqual(reached("issue", top), [false, "issue"]);
  assert.deepEqual(reached("issue", inside), [false, "outer/issue"]);
  assert.deepEqual(reached("copy", inside), [false, "outer/each/copy"]);
  assert.deepEqual(reached("back", inside), [false, "outer/back"]);
  assert.deepEqual(reached("copy", top), [false]);
  const used = { runbook, book: "used", path: "used/outer" };
  assert.deepEqual(reached("issue", used), [true, "used/outer/issue"]);
});

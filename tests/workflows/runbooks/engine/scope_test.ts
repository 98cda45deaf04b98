import assert from "node:assert/strict";
import type { Seeing } from "../../../../workflows/runbooks/engine/engine.ts";
import type { FactsCache } from "../../../../workflows/runbooks/engine/facts_cache.ts";
import type { Frame } from "../../../../workflows/runbooks/engine/frame.ts";
import {
  expressionContext,
  holds,
  milliseconds,
  render,
} from "../../../../workflows/runbooks/engine/scope.ts";
import type { ExpressionContext } from "../../../../workflows/runbooks/language/typing/evaluator.ts";
import type { Scope } from "../../../../workflows/runbook_cel/facts.ts";
import type { Facts } from "../../../../workflows/runbooks/read_facts.ts";
import { node } from "../../runbook_cel/_scope.ts";
import { demo } from "../store/_runs.ts";

const cluster = { id: "c1", name: "lab", endpoint: "", versions: ["v1.13.4"] };

const facts: Facts = {
  cluster,
  nodes: [node("w-1"), node("w-2"), node("cp-1", { role: "controlplane" })],
  readAt: 0,
};

interface Given {
  readonly scope: Scope;
  readonly at: ExpressionContext;
  readonly read: readonly (readonly string[] | "all")[];
}

/** A run whose templates are names of what they see; the value is `value`. */
function seeing(value: unknown = true) {
  const read: (readonly string[] | "all")[] = [];
  const given: Given[] = [];
  const cache: FactsCache = {
    last: () => facts,
    recent(about) {
      read.push(about === undefined ? "all" : [...about]);
      return Promise.resolve(facts);
    },
    forget() {},
  };
  const take = (_: unknown, scope: Scope, at: ExpressionContext) => {
    given.push({ scope, at, read: [...read] });
    return value as string;
  };
  const engine: Seeing = {
    facts: cache,
    groups: new Map([["#workers", ["w-2", "gone", "w-1"]], [
      "planes#all",
      ["cp-1"],
    ]]),
    decisions: new Map([["target", "v1.13.4"]]),
    evaluator: {
      evaluate: take,
      render: take,
      references: (template) =>
        new Set(String(template).replaceAll(/[${}]/g, "").trim().split(" ")),
    },
  };
  return { engine, given };
}

const top: Frame = {
  book: { runbook: demo, path: "", inputs: { batch: 2 }, vars: { double: 4 } },
  path: "",
  entry: 1,
  outputs: new Map([["inner", { file: "b" }]]),
  around: [new Map([["outer", { file: "a" }], ["inner", { file: "hidden" }]])],
  fresh: false,
  finishing: false,
  stopPoint: { isSafe: true },
};

async function look(template: string, frame = top): Promise<Given> {
  const { engine, given } = seeing();
  await render(engine, frame, template);
  return given[0]!; // it was rendered
}

Deno.test("expressions see inputs, constants, decisions and steps, the inner ones first", async () => {
  const { scope, read } = await look("inputs");
  assert.deepEqual(scope, {
    inputs: { batch: 2 },
    vars: { double: 4 },
    groups: {},
    cluster,
    steps: { outer: { file: "a" }, inner: { file: "b" } },
    decisions: { target: "v1.13.4" },
  });
  assert.deepEqual(read, []);
});

Deno.test("scope: node facts are read before, as far as needed", async () => {
  const inside = { ...top, node: "w-1" };
  assert.deepEqual((await look("cluster")).read, ["all"]);
  assert.deepEqual((await look("groups")).read, ["all"]);
  assert.deepEqual((await look("node", inside)).read, [["w-1"]]);
  assert.deepEqual((await look("node groups", inside)).read, ["all"]);
  assert.deepEqual((await look("inputs", inside)).read, []);
  assert.deepEqual((await look("node")).read, []);
});

Deno.test("groups are those of the runbook, in their order, without who is gone", async () => {
  const { scope } = await look("groups");
  const names = Object.entries(scope.groups).map(([name, nodes]) => [
    name,
    ...nodes.map((one) => one.name),
  ]);
  assert.deepEqual(names, [["workers", "w-2", "w-1"], ["late"]]);
  const runbook = { ...demo, groups: { all: demo.groups.workers! } }; // it has it
  const used = { ...top, book: { ...top.book, runbook, path: "planes" } };
  const inner = await look("groups", used);
  assert.deepEqual(inner.scope.groups, { all: [facts.nodes[2]] });
});

Deno.test("the node, the error and the result are there when there are some", async () => {
  const error = { code: "busy", step: "restart", message: "m" };
  const inside = { ...top, node: "w-2", error };
  const { scope } = await look("node", inside);
  assert.equal(scope.node?.name, "w-2");
  assert.deepEqual(scope.error, error);
  assert.equal("result" in scope, false);
  assert.equal(
    "node" in (await look("node", { ...top, node: "x" })).scope,
    false,
  );
  const { engine, given } = seeing();
  await render(engine, inside, "node", { result: { ok: 3 } });
  assert.deepEqual(given[0]?.scope.result, { ok: 3 });
});

Deno.test("a condition holds when it is true, and nothing else", async () => {
  const values = [true, false, null, "true", 1];
  const all = values.map((value) => holds(seeing(value).engine, top, "node"));
  assert.deepEqual(await Promise.all(all), [true, false, false, false, false]);
});

Deno.test("a condition reads what it names", async () => {
  const { engine, given } = seeing();
  await holds(engine, { ...top, node: "w-1" }, "node");
  assert.deepEqual(given[0]?.read, [["w-1"]]);
});

Deno.test("a duration is computed in milliseconds", async () => {
  assert.equal(await milliseconds(seeing("90s").engine, top, "x"), 90_000);
  await assert.rejects(milliseconds(seeing(null).engine, top, "x"), TypeError);
});

Deno.test("an expression is where the walk is", async () => {
  assert.deepEqual(expressionContext(top), {
    runbook: demo,
    book: "",
    path: "",
  });
  const used = { ...top, path: "planes/each" };
  const frame = { ...used, book: { ...top.book, path: "planes" } };
  const expected = { runbook: demo, book: "planes", path: "planes/each" };
  assert.deepEqual(expressionContext(frame), expected);
  const { engine, given } = seeing();
  await render(engine, frame, "x", { module: "reboot" });
  await holds(engine, frame, "x", { module: "reboot" });
  const at = { ...expected, module: "reboot" };
  assert.deepEqual(given.map((one) => one.at), [at, at]);
});

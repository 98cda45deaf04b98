import assert from "node:assert/strict";
import { OsctlError } from "../../../../errors.ts";
import {
  change,
  look,
  makeTextPlan,
  operation,
  prepareInputs,
  previewsAt,
  refusal,
} from "./_plan_inputs.ts";

const each = (...ids: readonly string[]) => `
groups: { workers: { role: worker } }
steps:
  - id: all
    forEach: workers
    steps:
${ids.map((id) => `      - { id: ${id}, run: ${id} }\n`).join("")}`;

Deno.test("a module says what it would do, that it has nothing to do, that a rule forbids it, or that it does not know", async () => {
  const modules = [
    change("write", { finds: (node) => `write ${node}` }),
    change("nothing", { finds: () => undefined }),
    change("never", { finds: () => refusal("The rule says no") }),
    change("silent", { finds: () => new OsctlError("It does not answer") }),
    look("watch"),
  ];
  const plans = await Promise.all(
    modules.map(({ name }) => makeTextPlan(each(name), { modules })),
  );
  const found = plans.map((plan, index) =>
    previewsAt(plan, `all/${modules[index]?.name}`)[0]
  );
  assert.deepEqual(found, [
    "w-4 change write w-4",
    "w-4 nothing it is done already",
    "w-4 refused The rule says no",
    "w-4 unknown cannot be determined: It does not answer",
    "w-4 read",
  ]);
});

Deno.test("module plan: work after a step that changes the node is unknown if there is none now", async () => {
  const modules = [
    change("first"),
    change("nothing", { finds: () => undefined }),
    change("never", { finds: () => refusal("The rule says no") }),
    change("last"),
  ];
  const plan = await makeTextPlan(each("first", "nothing", "never", "last"), {
    modules,
  });
  assert.deepEqual(
    ["nothing", "never", "last"].map((id) => previewsAt(plan, `all/${id}`)[0]),
    [
      "w-4 unknown depends on the steps before it; now: it is done already",
      "w-4 unknown depends on the steps before it; now: The rule says no",
      "w-4 change last",
    ],
  );
});

Deno.test("a module is prepared, and what its operation would do is all there is to see", async () => {
  const module = prepareInputs("do", (_, input) => ({
    operation: operation("one"),
    input,
    toOutput: () => assert.fail(),
  }));
  const plan = await makeTextPlan(each("do"), { modules: [module] });
  assert.deepEqual(previewsAt(plan, "all/do"), [
    "w-4 change one",
    "w-5 change one",
  ]);
});

Deno.test("a module that has nothing to do, or cannot be prepared, says so", async () => {
  const modules = [
    prepareInputs("idle", () => ({ output: {} })),
    prepareInputs("fails", () => Promise.reject(new OsctlError("No file"))),
  ];
  const idle = await makeTextPlan(each("idle"), { modules });
  const fails = await makeTextPlan(each("fails"), { modules });
  assert.equal(previewsAt(idle, "all/idle")[0], "w-4 nothing nothing to do");
  assert.equal(
    previewsAt(fails, "all/fails")[0],
    "w-4 unknown cannot be determined: No file",
  );
});

Deno.test("a programming error in a module is not a finding", async () => {
  const broken = change("broken", {
    finds: () => {
      throw new TypeError("A bug");
    },
  });
  await assert.rejects(makeTextPlan(each("broken"), { modules: [broken] }), {
    name: "TypeError",
    message: "A bug",
  });
});

Deno.test("inputs are worked out with their initial values, and what cannot have a value is refused", async () => {
  const inputs: unknown[] = [];
  const module = change("touch", {
    scope: "cluster",
    input: {
      x: { type: "int", summary: "X" },
      y: { type: "string", summary: "Y", initial: "plain" },
      z: { type: "string", summary: "Z" },
    },
    finds(_, input) {
      inputs.push(input);
      return "touch";
    },
  });
  const text = `
inputs: { none: { type: string }, by: { type: int, required: true } }
steps: [{ id: a, run: touch, with: { x: "\${{ 6 / inputs.by }}", z: "\${{ inputs.none }}" } }]
`;
  await makeTextPlan(text, { modules: [module], inputs: { by: 2 } });
  assert.deepEqual(inputs, [{ x: 3, y: "plain" }]);
  const wrong = await makeTextPlan(text, {
    modules: [module],
    inputs: { by: 0 },
  });
  const [refused = ""] = previewsAt(wrong, "a");
  assert.match(refused, /^refused Cannot evaluate "6 \/ inputs\.by": /);
});

Deno.test("a step with a node of its own changes that node, one without may change any", async () => {
  const touch = change("touch", {
    effect: "disrupt",
    input: { node: { type: "node", summary: "Node" } },
  });
  const all = change("all", { scope: "cluster", effect: "disrupt" });
  const text = (id: string) => `
steps:
  - { id: s, ${id} }
  - { id: a, when: "groups.first[0].ready", run: touch, with: { node: w-4 } }
  - { id: b, when: "groups.second[0].ready", run: touch, with: { node: w-4 } }
groups: { first: { names: [w-4] }, second: { names: [w-5] } }
`;
  const modules = [touch, all];
  const one = await makeTextPlan(text("run: touch, with: { node: w-4 }"), {
    modules,
  });
  const any = await makeTextPlan(text("run: all"), { modules });
  const happens = (plan: typeof one) =>
    plan.stages.slice(1).map((s) => s.happens);
  assert.deepEqual(happens(one), ["unknown", "yes"]);
  assert.deepEqual(happens(any), ["unknown", "unknown"]);
});

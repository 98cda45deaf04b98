import assert from "node:assert/strict";
import { readPlan } from "../../../../workflows/runbooks/plan/read_plan.ts";
import { withFolder } from "../../../_folder.ts";
import { fullPlan } from "./picture/_plans.ts";

Deno.test("a plan that was written is read as it was", async () => {
  await withFolder({}, async (folder) => {
    const path = `${folder}/plan.json`;
    await Deno.writeTextFile(path, JSON.stringify(fullPlan));
    assert.deepEqual(await readPlan(path), fullPlan);
  });
});

Deno.test("what is not a plan is refused", async () => {
  await withFolder({}, async (folder) => {
    const path = `${folder}/plan.json`;
    const wrong = [
      "{",
      "[]",
      "null",
      JSON.stringify({ ...fullPlan, v: 2 }),
      JSON.stringify({ ...fullPlan, ir: undefined }),
      JSON.stringify({ ...fullPlan, groups: [{ name: "a", nodes: [1] }] }),
      JSON.stringify({ ...fullPlan, facts: { "cp-1": 1 } }),
      JSON.stringify({ ...fullPlan, cluster: { name: "prod" } }),
    ];
    for (const text of wrong) {
      await Deno.writeTextFile(path, text);
      await assert.rejects(readPlan(path), {
        name: "ConfigError",
        message: `Cannot read "${path}": it is not a plan`,
      });
    }
  });
});

Deno.test("a plan that is not there is named", async () => {
  await assert.rejects(readPlan("/nowhere/plan.json"), {
    message: 'There is no file "/nowhere/plan.json"',
  });
});

import assert from "node:assert/strict";
import { toSeeing } from "../../../../workflows/runbooks/plan/current_values.ts";
import { planRequest, usual } from "./_plan_inputs.ts";

Deno.test("facts of one moment stay as they are, also when they are reported to have changed", async () => {
  const { facts, found, clock } = await planRequest(
    "steps: [{ id: s, sleep: 1s }]\n",
  );
  const seeing = toSeeing({
    facts,
    found,
    now: clock.now,
    limit: new Set(["w-4"]),
  });
  seeing.facts.forget();
  assert.equal(seeing.facts.last(), facts);
  assert.equal(await seeing.facts.recent(), facts);
  assert.deepEqual(facts.nodes, usual);
  assert.deepEqual([...seeing.limit ?? []], ["w-4"]);
  assert.equal("limit" in toSeeing({ facts, found, now: clock.now }), false);
});

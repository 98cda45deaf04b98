import assert from "node:assert/strict";
import type { Engine } from "../../../../workflows/runbooks/engine/engine.ts";
import { changedMembers } from "../../../../workflows/runbooks/engine/membership.ts";

function makeEngine(
  membership: "open" | "frozen",
  before: readonly string[],
  now: readonly string[],
): Engine {
  const nodes = now.map((name) => ({ name }));
  return {
    runbook: { policy: { membership } },
    members: new Set(before),
    facts: { recent: () => Promise.resolve({ nodes }) },
  } as unknown as Engine;
}

Deno.test("membership: names nodes that joined and left", async () => {
  const engine = makeEngine("frozen", ["a", "b"], ["b", "c", "d"]);
  assert.equal(
    await changedMembers(engine),
    "joined since the run started: c, d; left since the run started: a",
  );
});

Deno.test("nothing is said while all are the same, or where it does not matter", async () => {
  const same = makeEngine("frozen", ["a", "b"], ["b", "a"]);
  assert.equal(await changedMembers(same), undefined);
  const open = makeEngine("open", ["a"], ["b"]);
  assert.equal(await changedMembers(open), undefined);
});

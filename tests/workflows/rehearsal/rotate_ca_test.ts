import assert from "node:assert/strict";
import {
  endingOf,
  type Rehearsal,
  rehearsed,
  type Seen,
  succeeded,
} from "./_rehearsed.ts";

/** Exchanges CAs with faults; whatever was done, everything that must hold did. */
async function rotated(
  faults: readonly string[],
  more: Partial<Rehearsal> = {},
): Promise<Seen> {
  const seen = await rehearsed({
    runbook: "builtin:rotate-ca",
    ...more,
    faults,
  });
  assert.deepEqual(seen.violated, []);
  return seen;
}

/** CAs that nodes accept, in how many sets. */
function trusted({ after }: Seen): readonly string[] {
  return [
    ...new Set(after.nodes.map(({ trust }) => trust.accepted.join("+"))),
  ];
}

Deno.test("rotate-ca: at the end every node accepts the new CA, and no other", async () => {
  const seen = await rotated([]);
  assert.deepEqual(endingOf(seen), succeeded);
  const [before] = seen.before.nodes;
  assert.equal(trusted(seen).length, 1);
  assert.doesNotMatch(trusted(seen)[0]!, /\+/);
  assert.notEqual(trusted(seen)[0], before?.trust.accepted[0]);
});

Deno.test("rotate-ca: a node that is down is refused before anything is changed", async () => {
  const seen = await rotated(["node/worker-1: down"]);
  assert.equal(seen.report?.state, "failed");
  assert.equal(seen.report?.failure?.step, "preflight");
  assert.deepEqual(trusted(seen), trusted({ ...seen, after: seen.before }));
});

Deno.test("rotate-ca: a clock that is off by ten minutes is refused", async () => {
  const seen = await rotated(["node/worker-1: skew 10m"]);
  assert.equal(seen.report?.failure?.step, "preflight");
  assert.deepEqual(trusted(seen), trusted({ ...seen, after: seen.before }));
});

Deno.test("rotate-ca: a failure before the new CA issues takes it back everywhere", async () => {
  const seen = await rotated(["node/worker-1: down @ see-new-client for 10m"]);
  assert.equal(seen.report?.state, "failed");
  const [node] = seen.before.nodes;
  const kept = seen.after.nodes.filter(({ trust }) =>
    trust.accepted.join() === node?.trust.accepted.join()
  );
  assert.equal(kept.length, 3);
});

Deno.test("rotate-ca: a node that goes down after it accepts keeps the new CA from issuing", async () => {
  const seen = await rotated(["node/worker-1: down @ issue"]);
  assert.equal(seen.report?.state, "blocked");
  const [node] = seen.before.nodes;
  assert.deepEqual(
    seen.after.nodes.map(({ trust }) => trust.issuer),
    seen.before.nodes.map(() => node?.trust.issuer),
  );
});

Deno.test("rotate-ca: a node that joins meanwhile keeps the old CA from being dropped", async () => {
  const seen = await rotated(["node/worker: joins @ issue"]);
  assert.notEqual(seen.report?.state, "succeeded");
  const [node] = seen.before.nodes;
  assert.ok(
    seen.after.nodes.every(({ trust }) =>
      trust.accepted.includes(node!.trust.issuer)
    ),
  );
});

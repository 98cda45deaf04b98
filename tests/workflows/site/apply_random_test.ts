import assert from "node:assert/strict";
import type { ObservedNode } from "../../../workflows/rehearsal/model/observed_state.ts";
import { runRehearsal } from "../rehearsal/_runbooks.ts";
import { prepareApply } from "./_apply.ts";

/** Rehearsals of whole rollouts. */
export const longestSeconds = 180;

/** Pseudorandom choices, the same for the same seed. */
function choices(seed: number) {
  let state = seed;
  return <T>(...values: readonly [T, ...T[]]): T => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return values[(state >>> 16) % values.length] ?? values[0];
  };
}

for (const seed of [1, 2, 3, 4, 5, 6]) {
  Deno.test(`a generated site (${seed}) is applied despite a fault, and then nothing differs`, async () => {
    const choose = choices(seed);
    const controlPlanes = choose(3, 3, 1);
    const workers = choose(1, 2, 3);
    const count = controlPlanes + workers;
    // The last nodes are new, or all.
    const waiting = Array.from({ length: count }, (_, index) => index)
      .slice(choose(count, count - 1, count - 2, 0));
    const isNew = waiting.length === count;
    const file = choose("all/a.yaml", "worker/a.yaml", "control-plane/a.yaml");
    const patch = choose(
      "machine: {sysctls: {net.core.somaxconn: '1024'}}\n",
      "machine: {env: {A: b}}\n",
    );
    // Of two members of etcd, none can be down.
    const members = controlPlanes -
      waiting.filter((index) => index < controlPlanes).length;
    const before = { os: "v1.12.11", kubernetes: "1.34.1" };
    const after = {
      // Nodes of a new cluster have the version that they were started with.
      os: isNew || members === 2 ? before.os : choose(before.os, "v1.12.12"),
      kubernetes: isNew ? before.kubernetes : choose("1.34.1", "1.34.2"),
      files: { [file]: patch },
      more: `upgrade: {soak: ${choose("0s", "10s")}, batch: ${
        choose("1", "50%")
      }}\n`,
    };
    const applied = { controlPlanes, workers, waiting, before, after };
    const fault = choose(
      "runner: kill @ record 9",
      "runner: kill-before @ record 15",
      "runner: kill @ record 60",
      "rpc/ApplyConfiguration: reply-lost times 1",
      "rpc/ApplyConfiguration: request-lost times 1",
      "node/*: unavailable @ replace for 2m",
    );
    const { plan, compare, ...model } = await prepareApply(applied);
    const about = JSON.stringify({ ...applied, fault });
    const seen = await runRehearsal({
      ...model,
      runbook: plan.text,
      faults: [fault],
      resumes: 5,
    });
    assert.deepEqual(seen.violated, [], about);
    assert.equal(seen.report?.state, "succeeded", about);
    // The observer of the model sees all of it.
    const differences = (nodes: typeof seen.after.nodes) =>
      compare(nodes as readonly ObservedNode[]);
    assert.ok((await differences(seen.before.nodes)).length > 0, about);
    assert.deepEqual(await differences(seen.after.nodes), [], about);
  });
}

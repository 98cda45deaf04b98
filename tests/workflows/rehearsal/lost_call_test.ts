import assert from "node:assert/strict";
import {
  type Rehearsal,
  runRehearsal,
  succeeded,
  summarizeEnd,
} from "./_runbooks.ts";

/** Calls that break once, by the run that makes them. */
const trials: readonly (readonly [Rehearsal, readonly string[]])[] = [
  [
    {
      runbook: "builtin:rolling-upgrade",
      inputs: ["version=v1.13.6", "soak=2s"],
    },
    ["Pull", "Reboot"],
  ],
  [
    { runbook: "builtin:rotate-ca", inputs: ["kubernetes=true"] },
    ["ApplyConfiguration"],
  ],
  [
    {
      runbook: "builtin:etcd-recovery",
      inputs: ["cluster=demo"],
      faults: ["etcd/cp-2: unhealthy", "etcd/cp-3: unhealthy"],
    },
    ["Reset"],
  ],
];

// The network matrix has the effects of a lost call, and every other call.
for (const [rehearsal, calls] of trials) {
  for (const call of calls) {
    Deno.test(`${rehearsal.runbook} continues by itself when ${call} is lost on its way`, async () => {
      const fault = `rpc/${call}: drop-before-send times 1`;
      const faults = [...rehearsal.faults ?? [], fault];
      const seen = await runRehearsal({ ...rehearsal, faults });
      assert.deepEqual(summarizeEnd(seen), succeeded);
      assert.deepEqual(seen.violated, []);
      assert.ok(seen.injected.every(({ at }) => at !== undefined));
    });
  }
}

Deno.test("builtin:rolling-upgrade continues by itself when the reply to one of several pulls is lost", async () => {
  const seen = await runRehearsal({
    runbook: "builtin:rolling-upgrade",
    inputs: ["version=v1.13.6", "soak=2s"],
    cluster: "3cp+2w",
    // The pull of one node, while others wait for the same look at the Lease.
    faults: ["rpc/*: drop-after-send @ call 387"],
  });
  assert.deepEqual(summarizeEnd(seen), succeeded);
  assert.deepEqual(seen.violated, []);
});

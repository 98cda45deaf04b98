import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import {
  listCarriedOut,
  type Rehearsal,
  runRehearsal,
  type Seen,
  succeeded,
  summarizeEnd,
} from "./_runbooks.ts";

/** Rehearses on three control planes and two workers; whatever was done, everything that must hold did. */
async function carry(rehearsal: Rehearsal): Promise<Seen> {
  const seen = await runRehearsal({ cluster: "3cp+2w", ...rehearsal });
  assert.deepEqual(seen.violated, []);
  assert.deepEqual(seen.problems, []);
  return seen;
}

function reboots({ after }: Seen): readonly number[] {
  return after.nodes.filter(({ isPart }) => isPart)
    .toSorted((a, b) => a.name < b.name ? -1 : 1)
    .map((node) => node.reboots);
}

Deno.test("cluster-reboot restarts every node once, or the workers only", async () => {
  const all = await carry({ runbook: "builtin:cluster-reboot" });
  assert.deepEqual(summarizeEnd(all), succeeded);
  assert.deepEqual(reboots(all), [1, 1, 1, 1, 1]);
  const some = await carry({
    runbook: "builtin:cluster-reboot",
    cluster: "1cp+2w",
    inputs: ["only=workers"],
  });
  assert.deepEqual(summarizeEnd(some), succeeded);
  assert.deepEqual(reboots(some), [0, 1, 1]);
});

Deno.test("config-rollout brings a patch to every node, and restarts none", () =>
  withFolder(
    { "patch.yaml": 'machine:\n  sysctls:\n    vm.max_map_count: "262144"\n' },
    async (folder) => {
      const seen = await carry({
        runbook: "builtin:config-rollout",
        cluster: "1cp+2w",
        inputs: [`patch=${folder}/patch.yaml`],
      });
      assert.deepEqual(summarizeEnd(seen), succeeded);
      assert.deepEqual(
        [...new Set(listCarriedOut(seen, "ApplyConfiguration"))].toSorted(),
        ["demo-controlplane-1", "demo-worker-1", "demo-worker-2"],
      );
      assert.deepEqual(reboots(seen), [0, 0, 0]);
    },
  ));

Deno.test("replace-controlplane takes one out, and ends when another one is a member", async () => {
  const seen = await carry({
    runbook: "builtin:replace-controlplane",
    inputs: ["old=demo-controlplane-2"],
    faults: ["node/controlplane: joins @ bring"],
  });
  assert.deepEqual(summarizeEnd(seen), succeeded);
  const planes = seen.after.nodes.flatMap(({ name, isReady, role }) =>
    isReady && role === "controlplane" ? [name] : []
  );
  assert.deepEqual(planes.toSorted(), [
    "demo-controlplane-1",
    "demo-controlplane-3",
    "demo-controlplane-4",
  ]);
});

Deno.test("replace-controlplane stops before anything when there is no such node", async () => {
  await assert.rejects(
    carry({
      runbook: "builtin:replace-controlplane",
      inputs: ["old=demo-controlplane-9"],
    }),
    /there is no node "demo-controlplane-9"/,
  );
});

Deno.test("certificate-renewal renews a client certificate of the simulated cluster", async () => {
  const seen = await carry({
    runbook: "builtin:certificate-renewal",
    cluster: "1cp+1w",
    inputs: ["kubeconfig=given-kubeconfig"],
  });
  assert.deepEqual(summarizeEnd(seen), succeeded);
  assert.equal(listCarriedOut(seen, "GenerateClientConfiguration").length, 1);
});

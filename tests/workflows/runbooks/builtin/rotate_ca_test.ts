import assert from "node:assert/strict";
import {
  isReady,
  type KubeObject,
} from "../../../../simulator/state/kubernetes_objects.ts";
import { onCluster } from "../../_step_context.ts";
import { checks } from "../../../../workflows/checks/all.ts";
import { modules } from "../../../../workflows/modules/all.ts";
import { loadRunbook } from "../../../../workflows/runbooks/language/loading/load.ts";
import type { Step } from "../../../../workflows/runbooks/runbook.ts";

const find = {
  module: (name: string) => Promise.resolve(modules.get(name)),
  modules: [...modules.keys()],
  check: (name: string) => checks.get(name),
  checks: [...checks.keys()],
};

/** All steps of a kind, with those inside of others. */
function stepsIn(steps: readonly Step[]): readonly Step[] {
  return steps.flatMap((step) => {
    if (step.verb === "use") return [step, ...stepsIn(step.runbook.steps)];
    if (step.verb !== "block" && step.verb !== "forEach") return [step];
    return [step, ...stepsIn([...step.steps, ...step.rescue, ...step.always])];
  });
}

for (const name of ["rotate-ca", "rotate-kubernetes-ca", "etcd-recovery"]) {
  Deno.test(`${name} is right, with the real modules and checks`, async () => {
    const { runbook } = await loadRunbook(`builtin:${name}`, { find });
    assert.equal(runbook.name, name);
    assert.equal(runbook.policy.membership, "frozen");
  });
}

Deno.test("rotate-ca asks before the old CAs are dropped, and takes back only before the new ones issue", async () => {
  const { runbook } = await loadRunbook("builtin:rotate-ca", { find });
  const steps = stepsIn(runbook.steps);
  const approvals = steps.flatMap((step) =>
    step.verb === "approve" ? [[step.tag, step.destructive]] : []
  );
  assert.deepEqual(approvals, [
    ["commit", false],
    ["drop", true],
    ["commit-kubernetes", false],
    ["drop-kubernetes", true],
  ]);
  const back = steps.filter(({ id }) => id === "take-back");
  assert.deepEqual(back.map(({ when }) => when), [
    "reached('accept') && !reached('issue')",
    "reached('accept') && !reached('issue')",
  ]);
});

Deno.test("etcd-recovery copies before it wipes, and asks before it destroys", async () => {
  const { runbook } = await loadRunbook("builtin:etcd-recovery", { find });
  const order = runbook.steps.map(({ id }) => id);
  const wanted = ["salvage", "source", "confirm", "wipe", "bootstrap"];
  assert.deepEqual(order.filter((id) => wanted.includes(id)), wanted);
  const destructive = runbook.steps.flatMap((step) =>
    step.verb === "approve" && step.destructive ? [step.tag] : []
  );
  assert.deepEqual(destructive, [
    "declare-dead",
    "destroy",
    "declare-dead-too",
  ]);
  assert.deepEqual(runbook.policy.allow.map(({ rule }) => rule), [
    "etcd-quorum",
    "destroy-etcd-data",
  ]);
});

Deno.test("control planes are changed before the workers, and drop the CA of Kubernetes after them", async () => {
  const orderIn = async (name: string, kind: string) => {
    const { runbook } = await loadRunbook(`builtin:${name}`, { find });
    const steps = stepsIn(runbook.steps).filter(({ id, verb }) =>
      verb === "block" && id === kind
    );
    return steps.flatMap((step) =>
      step.verb === "block"
        ? step.steps.flatMap((one) => one.verb === "forEach" ? one.nodes : [])
        : []
    );
  };
  const cpFirst = ["controlplane", "workers"];
  for (const id of ["accept", "issue", "drop"]) {
    assert.deepEqual((await orderIn("rotate-ca", id)).slice(0, 2), cpFirst, id);
  }
  assert.deepEqual(
    await orderIn("rotate-kubernetes-ca", "drop"),
    cpFirst.toReversed(),
  );
});

Deno.test("etcd-recovery wipes all control planes at once, however many there are", async () => {
  const { runbook } = await loadRunbook("builtin:etcd-recovery", { find });
  const wipe = runbook.steps.find(({ id }) => id === "wipe");
  assert.ok(wipe?.verb === "forEach");
  assert.deepEqual([wipe.nodes, wipe.strategy.batch], ["dirty", "100%"]);
});

Deno.test("no kubelet is shut out while workers and then control planes drop the CA of Kubernetes", async () => {
  await onCluster(
    { controlplanes: 2, workers: 2 },
    async ({ read, ...runner }, cluster) => {
      const kind = { kind: "kubernetes" };
      const api = cluster.nodes[0]!.cluster.kubernetesApi!;
      await read("ca.generate", kind);
      await runner.changeAll("ca.accept", kind);
      await runner.changeAll("ca.issue", kind);
      const names = cluster.nodes.map(({ identity }) => identity.address);
      for (const node of [...names.slice(2), ...names.slice(0, 2)]) {
        const input = { ...kind, which: "old" };
        const { outcome } = await runner.change("ca.drop", input, node);
        assert.equal(outcome, "done");
        const { body } = api.request({ method: "GET", path: "/api/v1/nodes" });
        const { items } = body as { readonly items: readonly KubeObject[] };
        assert.deepEqual(items.map(isReady), [true, true, true, true], node);
      }
    },
  );
});

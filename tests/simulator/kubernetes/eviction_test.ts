import assert from "node:assert/strict";
import { budgetCause } from "../../../simulator/kubernetes/eviction.ts";
import { openApi, webPod } from "./_api.ts";

const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

async function threePods() {
  const api = await openApi({ workers: 1 });
  for (const name of ["a", "b", "c"]) {
    api.ask(
      "POST /api/v1/namespaces/default/pods",
      webPod(name, "lab-worker-1"),
    );
  }
  api.pass(1_000);
  return api;
}

for (
  const [limit, desiredHealthy] of [
    [{ minAvailable: 2 }, 2],
    [{ minAvailable: "50%" }, 2],
    [{ maxUnavailable: 1 }, 2],
    [{ maxUnavailable: 0 }, 3],
    [{ maxUnavailable: "34%" }, 1],
  ] as const
) {
  Deno.test(`a budget of ${JSON.stringify(limit)} for three pods wants ${desiredHealthy}`, async () => {
    const { ask } = await threePods();
    const selector = { matchLabels: { app: "web" } };
    const metadata = { name: "web" };
    ask(`POST ${budgets}`, { metadata, spec: { selector, ...limit } });
    assert.deepEqual(ask(`GET ${budgets}/web`).status, {
      expectedPods: 3,
      currentHealthy: 3,
      desiredHealthy,
      disruptionsAllowed: 3 - desiredHealthy,
    });
  });
}

Deno.test("budgetCause explains a budget", () => {
  assert.deepEqual(
    budgetCause("web", {
      expectedPods: 3,
      currentHealthy: 2,
      desiredHealthy: 2,
      disruptionsAllowed: 0,
    }),
    {
      reason: "DisruptionBudget",
      message:
        "The disruption budget web needs 2 healthy pods and has 2 currently",
    },
  );
});

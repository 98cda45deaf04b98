import assert from "node:assert/strict";
import { setFault } from "../../../simulator/set_fault.ts";
import { apiOf, webPod } from "./_api.ts";

const pods = "/api/v1/namespaces/default/pods";
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

async function webPods() {
  const api = await apiOf({ workers: 1 });
  for (const name of ["a", "b"]) {
    api.ask(`POST ${pods}`, webPod(name, "lab-worker-1"));
  }
  api.pass(1_000);
  return api;
}

function budget(name: string) {
  const selector = { matchLabels: { app: "web" } };
  return { metadata: { name }, spec: { minAvailable: 1, selector } };
}

Deno.test("a budget lets one pod go, and the next one when another is there", async () => {
  const { ask, answer, pass } = await webPods();
  ask(`POST ${budgets}`, budget("web"));
  assert.equal(answer(`POST ${pods}/a/eviction`, {}).code, 201);
  const refused = answer(`POST ${pods}/b/eviction`, {});
  assert.deepEqual(refused, {
    code: 429,
    body: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message:
        "Cannot evict pod as it would violate the pod's disruption budget.",
      reason: "TooManyRequests",
      details: {
        name: "b",
        causes: [{
          reason: "DisruptionBudget",
          message:
            "The disruption budget web needs 1 healthy pods and has 1 currently",
        }],
      },
      code: 429,
    },
  });
  ask(`POST ${pods}`, webPod("c", "lab-worker-1"));
  pass(1_000);
  assert.equal(answer(`POST ${pods}/b/eviction`, {}).code, 201);
});

Deno.test("a pod in two budgets is not evicted", async () => {
  const { ask, answer } = await webPods();
  ask(`POST ${budgets}`, budget("one"));
  ask(`POST ${budgets}`, budget("two"));
  assert.equal(answer(`POST ${pods}/a/eviction`, {}).code, 500);
});

Deno.test("an eviction of a pod that was replaced meanwhile is refused", async () => {
  const { ask, answer } = await webPods();
  const deleteOptions = { preconditions: { uid: "other" } };
  const { code, body } = answer(`POST ${pods}/a/eviction`, { deleteOptions });
  const { metadata: { uid } } = ask(`GET ${pods}/a`);
  assert.equal(code, 409);
  assert.equal(
    (body as { message: string }).message,
    `Operation cannot be fulfilled on pods "a": the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
  );
});

Deno.test("pods of a node whose fault is pdb-blocks stay as often as it says", async () => {
  const { nodes, answer } = await webPods();
  await setFault(nodes[1]!, "pdb-blocks", { calls: 1 });
  const codes = ["a", "a"].map((name) =>
    answer(`POST ${pods}/${name}/eviction`, {}).code
  );
  assert.deepEqual(codes, [429, 201]);
});

Deno.test("a deletion without grace takes the pod at once", async () => {
  const { ask } = await webPods();
  ask(`DELETE ${pods}/a`, { gracePeriodSeconds: 0 });
  assert.equal(ask(`GET ${pods}/a`).code, 404);
  assert.equal(ask(`GET ${pods}/b`).code, undefined);
});

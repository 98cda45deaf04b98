import assert from "node:assert/strict";
import { openApi, webPod } from "./_api.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";

const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";

Deno.test("objects are made, read, listed, replaced and removed", async () => {
  const { ask, answer } = await openApi();
  const made = answer(`POST ${leases}`, {
    metadata: { name: "run" },
    spec: { holderIdentity: "one" },
  });
  assert.equal(made.code, 201);
  const lease = ask(`GET ${leases}/run`);
  assert.deepEqual(made.body, lease);
  const list = ask(`GET ${leases}`);
  assert.equal(list.kind, "LeaseList");
  assert.deepEqual(list.items, [lease]);
  const spec = { holderIdentity: "two" };
  assert.deepEqual(ask(`PUT ${leases}/run`, { ...lease, spec }).spec, spec);
  assert.equal(answer(`PUT ${leases}/run`, { ...lease, spec }).code, 409);
  assert.equal(answer(`DELETE ${leases}/run`).code, 200);
  assert.equal(answer(`GET ${leases}/run`).code, 404);
});

Deno.test("pods are selected by labels and fields", async () => {
  const { ask, pods } = await openApi({ workers: 2 });
  const path = "/api/v1/namespaces/default/pods";
  ask(`POST ${path}`, webPod("a", "lab-worker-1"));
  ask(`POST ${path}`, webPod("b", "lab-worker-2"));
  assert.deepEqual(pods("labelSelector=app%3Dweb"), ["a", "b"]);
  assert.deepEqual(
    pods("labelSelector=app%3Dweb&fieldSelector=spec.nodeName%3Dlab-worker-2"),
    ["b"],
  );
});

for (
  const [line, code, message] of [
    ["GET /api/v1/nodes/nobody", 404, 'nodes "nobody" not found'],
    [
      "GET /api/v1/nothing",
      404,
      "the server could not find the requested resource",
    ],
    ["GET /else", 404, "the server could not find the requested resource"],
    ["POST /api/v1/namespaces/none/pods", 404, 'namespaces "none" not found'],
    ["POST /api/v1/namespaces/default/pods", 400, "name must be provided"],
    [
      "DELETE /api/v1/pods",
      405,
      "the server does not allow this method on the requested resource",
    ],
    [
      "GET /api/v1/namespaces/default/pods/x/exec",
      404,
      "the server could not find the requested resource",
    ],
    ["GET /api/v1/namespaces/default/pods/x/log", 404, 'pods "x" not found'],
    [
      "POST /api/v1/namespaces/default/pods/x/eviction",
      404,
      'pods "x" not found',
    ],
  ] as const
) {
  Deno.test(`${line} is answered with ${code}: ${message}`, async () => {
    const { answer } = await openApi();
    const name = line.includes("none") ? "x" : "";
    const answered = answer(line, { metadata: { name } });
    assert.equal(answered.code, code);
    assert.equal((answered.body as { message: string }).message, message);
  });
}

const pods = "/api/v1/namespaces/default/pods";
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

async function webPods() {
  const api = await openApi({ workers: 1 });
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
  assert.deepEqual(
    ask(`PATCH ${budgets}/web`, { metadata: { labels: { a: "b" } } }).status,
    ask(`GET ${budgets}/web`).status,
  );
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

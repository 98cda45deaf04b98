import assert from "node:assert/strict";
import type { Json } from "../../../workflows/operations/operation.ts";
import { k8sObject } from "../../../workflows/checks/k8s_object.ts";
import { answering } from "../kubernetes/_answers.ts";
import { siteOf } from "./_site.ts";

const good = {
  metadata: { name: "good", namespace: "lab" },
  spec: { replicas: 2 },
  status: { replicas: 2, phase: "Bound" },
};
const bad = { metadata: { name: "bad" }, status: { phase: "Lost" } };
const young = { metadata: { name: "young" } };

function look(
  items: readonly unknown[],
  input: Readonly<Record<string, Json>>,
) {
  const kubernetes = answering({
    "/api/v1/things": { items },
    "/api/v1/things?labelSelector=a%3D1%2Cb%20in%20(x%2Cy)%2C!c": { items },
    "/api/v1/things?labelSelector=a%3D1": { items },
    "/api/v1/namespaces/lab/things/good": good,
  });
  const site = siteOf({
    cluster: { kubernetes: () => Promise.resolve(kubernetes) },
  });
  return k8sObject.look(site, {
    apiVersion: "v1",
    kind: "Thing",
    expr: "status.phase == 'Bound'",
    ...input,
  });
}

Deno.test("k8s.object wants the condition to hold for every object", async () => {
  assert.deepEqual(await look([good], {}), {
    ok: true,
    seen: "holds for 1 Thing",
  });
  assert.deepEqual(await look([good, bad], {}), {
    ok: false,
    reason: "bad: the condition does not hold",
  });
  assert.deepEqual(await look([], {}), {
    ok: false,
    reason: "there is no such Thing",
  });
  const expr = "object.spec.replicas == object.status.replicas";
  const named = { name: "good", namespace: "lab", expr };
  assert.equal((await look([], named)).ok, true);
});

Deno.test("k8s.object takes a field that is not there yet for not yet", async () => {
  const found = await look([young], {});
  assert.equal(found.ok, false);
  assert.match("reason" in found ? found.reason : "", /^young: /);
});

Deno.test("k8s.object takes labels as text, and as Kubernetes writes selectors", async () => {
  assert.equal((await look([good], { labelSelector: "a=1" })).ok, true);
  const labelSelector = {
    matchLabels: { a: "1" },
    matchExpressions: [
      { key: "b", operator: "In", values: ["x", "y"] },
      { key: "c", operator: "DoesNotExist" },
    ],
  };
  assert.equal((await look([good], { labelSelector })).ok, true);
  const wrong = { matchExpressions: [{ key: "b", operator: "Is" }] };
  await assert.rejects(look([good], { labelSelector: wrong }), {
    name: "ConfigError",
  });
});

Deno.test("k8s.object refuses a condition that is none", async () => {
  await assert.rejects(look([good], { expr: "status.phase ==" }), {
    name: "ConfigError",
    message: /^Wrong condition "status.phase ==": /,
  });
});

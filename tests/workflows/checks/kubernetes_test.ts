import assert from "node:assert/strict";
import { OsctlError } from "../../../errors.ts";
import {
  k8sApiReachable,
  k8sNodeReady,
  k8sObject,
} from "../../../workflows/checks/kubernetes.ts";
import { answering } from "../kubernetes/_answers.ts";
import { withView } from "../_view.ts";
import { makeContext, resource } from "./_check_context.ts";
import type { Json } from "../../../lib/json.ts";

function look(answers: Readonly<Record<string, unknown>>) {
  const kubernetes = () => Promise.resolve(answering(answers));
  return k8sApiReachable.run(makeContext({ cluster: { kubernetes } }), {});
}

Deno.test("k8s.apiReachable asks whether the server is ready, or only there where it does not know", async () => {
  const ok = { ok: true, seen: "Kubernetes answers" };
  assert.deepEqual(await look({ "/readyz": {} }), ok);
  assert.deepEqual(await look({ "/version": {} }), ok);
  await assert.rejects(look({ "/readyz": 500, "/version": {} }), { code: 500 });
});

Deno.test("k8s.apiReachable with both trusts also takes the kubeconfigs of now", async () => {
  await withView({ controlplanes: 3 }, async (viewed) => {
    const context = { ...viewed, group: () => Promise.resolve(viewed.names) };
    const trust = "both";
    assert.deepEqual(await k8sApiReachable.run(context, { trust }), {
      ok: true,
      seen: "Kubernetes answers with 3 newly issued kubeconfigs",
    });
    const at = (node: string) =>
      node === "10.5.0.3"
        ? Promise.reject(new OsctlError("gone"))
        : viewed.cluster.at(node);
    const broken = { ...context, cluster: { ...viewed.cluster, at } };
    assert.deepEqual(await k8sApiReachable.run(broken, { trust }), {
      ok: false,
      reason: "10.5.0.3: gone",
    });
    const own = { ...broken, node: "10.5.0.2" };
    assert.deepEqual(await k8sApiReachable.run(own, { trust }), {
      ok: true,
      seen: "Kubernetes answers with 1 newly issued kubeconfig",
    });
  });
});

function lookK8sNodeReady(
  ready: boolean,
  unschedulable: boolean,
  input: Readonly<Record<string, boolean>> = {},
) {
  const kubernetes = answering({
    "/api/v1/nodes/one": {
      metadata: { name: "one" },
      spec: { unschedulable },
      status: {
        conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
      },
    },
  });
  const context = makeContext({
    nodes: { w1: { get: () => resource({ nodename: "one" }) } },
    node: "w1",
    cluster: { kubernetes: () => Promise.resolve(kubernetes) },
  });
  return k8sNodeReady.run(context, input);
}

Deno.test("k8s.nodeReady asks Kubernetes, and minds a cordon only when told", async () => {
  assert.deepEqual(await lookK8sNodeReady(true, true), {
    ok: true,
    seen: "one is ready",
  });
  assert.deepEqual(await lookK8sNodeReady(false, false), {
    ok: false,
    reason: "one is not ready",
  });
  assert.deepEqual(await lookK8sNodeReady(true, true, { schedulable: true }), {
    ok: false,
    reason: "one is cordoned",
  });
});

const good = {
  metadata: { name: "good", namespace: "lab" },
  spec: { replicas: 2 },
  status: { replicas: 2, phase: "Bound" },
};
const bad = { metadata: { name: "bad" }, status: { phase: "Lost" } };
const young = { metadata: { name: "young" } };

function lookK8sObject(
  items: readonly unknown[],
  input: Readonly<Record<string, Json>>,
) {
  const kubernetes = answering({
    "/api/v1/things": { items },
    "/api/v1/things?labelSelector=a%3D1%2Cb%20in%20(x%2Cy)%2C!c": { items },
    "/api/v1/things?labelSelector=a%3D1": { items },
    "/api/v1/namespaces/lab/things/good": good,
  });
  const context = makeContext({
    cluster: { kubernetes: () => Promise.resolve(kubernetes) },
  });
  return k8sObject.run(context, {
    apiVersion: "v1",
    kind: "Thing",
    expr: "status.phase == 'Bound'",
    ...input,
  });
}

Deno.test("k8s.object wants the condition to hold for every object", async () => {
  assert.deepEqual(await lookK8sObject([good], {}), {
    ok: true,
    seen: "holds for 1 Thing",
  });
  assert.deepEqual(await lookK8sObject([good, bad], {}), {
    ok: false,
    reason: "bad: the condition is not met",
  });
  assert.deepEqual(await lookK8sObject([], {}), {
    ok: false,
    reason: "there is no such Thing",
  });
  const expr = "object.spec.replicas == object.status.replicas";
  const named = { name: "good", namespace: "lab", expr };
  assert.equal((await lookK8sObject([], named)).ok, true);
});

Deno.test("k8s.object takes a field that is not there yet for not yet", async () => {
  const found = await lookK8sObject([young], {});
  assert.equal(found.ok, false);
  assert.match("reason" in found ? found.reason : "", /^young: /);
});

Deno.test("k8s.object takes labels as text, and as Kubernetes writes selectors", async () => {
  assert.equal(
    (await lookK8sObject([good], { labelSelector: "a=1" })).ok,
    true,
  );
  const labelSelector: Json = {
    matchLabels: { a: "1" },
    matchExpressions: [
      { key: "b", operator: "In", values: ["x", "y"] },
      { key: "c", operator: "DoesNotExist" },
    ],
  };
  assert.equal((await lookK8sObject([good], { labelSelector })).ok, true);
  const wrong = { matchExpressions: [{ key: "b", operator: "Is" }] };
  await assert.rejects(lookK8sObject([good], { labelSelector: wrong }), {
    name: "ConfigError",
  });
});

Deno.test("k8s.object refuses a condition that is none", async () => {
  await assert.rejects(lookK8sObject([good], { expr: "status.phase ==" }), {
    name: "ConfigError",
    message: /^Invalid condition "status.phase ==": /,
  });
});

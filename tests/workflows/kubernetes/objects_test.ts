import assert from "node:assert/strict";
import {
  existing,
  readObjects,
} from "../../../workflows/kubernetes/objects.ts";
import { answering } from "./_answers.ts";

const { signal } = new AbortController();
const apps = {
  resources: [
    { name: "deployments/status", kind: "Deployment", namespaced: true },
    { name: "deployments", kind: "Deployment", namespaced: true },
  ],
};
const web = { metadata: { name: "web" } };

Deno.test("readObjects asks the server what it calls a kind", async () => {
  const kubernetes = answering({
    "/apis/apps/v1": apps,
    "/apis/apps/v1/namespaces/lab/deployments/web": web,
    "/apis/apps/v1/deployments?labelSelector=app%3Dweb": { items: [web, web] },
    "/apis/apps/v1/deployments": {},
  });
  const choice = { apiVersion: "apps/v1", kind: "Deployment" };
  const read = (more: Readonly<Record<string, string>>) =>
    readObjects(kubernetes, { ...choice, ...more }, signal);
  assert.deepEqual(await read({ namespace: "lab", name: "web" }), [web]);
  assert.deepEqual(await read({ namespace: "lab", name: "other" }), []);
  assert.deepEqual(await read({ labelSelector: "app=web" }), [web, web]);
  assert.deepEqual(await read({}), []);
  await assert.rejects(read({ kind: "Deploiment" }), {
    name: "KubernetesError",
    message: 'Kubernetes has no kind "Deploiment" in /apis/apps/v1',
  });
});

Deno.test("readObjects guesses where the server does not list its kinds", async () => {
  const kubernetes = answering({
    "/api/v1/nodes": { items: [web] },
    "/api/v1/namespaces/lab/pods": { items: [] },
  });
  const read = (kind: string, more: Readonly<Record<string, string>>) =>
    readObjects(kubernetes, { apiVersion: "v1", kind, ...more }, signal);
  assert.deepEqual(await read("Node", {}), [web]);
  assert.deepEqual(await read("Pod", { namespace: "lab" }), []);
});

Deno.test("existing raises what is not simply missing", async () => {
  const kubernetes = answering({ "/a": 403 });
  assert.equal(await existing(kubernetes, "/b", signal), undefined);
  await assert.rejects(existing(kubernetes, "/a", signal), { code: 403 });
});

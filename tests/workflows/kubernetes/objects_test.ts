import assert from "node:assert/strict";
import { readObjects } from "../../../workflows/kubernetes/objects.ts";
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

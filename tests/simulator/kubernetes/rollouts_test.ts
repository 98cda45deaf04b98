import assert from "node:assert/strict";
import { openApi, type TestApi } from "./_api.ts";

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const daemonSet = "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-proxy";

/** A Deployment or DaemonSet whose pods run an image. */
function specWith(image: string, rest: object = {}) {
  const labels = { app: "web" };
  return {
    ...rest,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: "web", image }] },
    },
  };
}

/** Images of the pods that are not being deleted. */
function images({ ask }: TestApi, query: string): readonly string[] {
  const { items } = ask(`GET /api/v1/pods?labelSelector=${query}`);
  return items
    .filter(({ metadata }: { metadata: { deletionTimestamp?: string } }) =>
      metadata.deletionTimestamp === undefined
    )
    .map(({ spec }: { spec: { containers: { image: string }[] } }) =>
      spec.containers[0]?.image
    );
}

/** Lets pods come and go, and shows how a status changes meanwhile. */
function statuses<T>(api: TestApi, look: () => T): readonly T[] {
  const seen: T[] = [];
  for (let turn = 0; turn < 20; turn++) {
    const now = look();
    if (JSON.stringify(now) !== JSON.stringify(seen.at(-1))) seen.push(now);
    api.pass(60);
  }
  return seen;
}

Deno.test("a deployment has as many pods as it wants, and says whether it is available", async () => {
  const { ask, pods, pass } = await openApi({ workers: 1 });
  const labels = { app: "web" };
  ask("POST /apis/apps/v1/namespaces/default/deployments", {
    metadata: { name: "web" },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: {} },
    },
  });
  const conditions = () =>
    ask("GET /apis/apps/v1/namespaces/default/deployments/web").status
      .conditions;
  assert.deepEqual(conditions(), [{ type: "Available", status: "False" }]);
  pass(1_000);
  assert.equal(pods("labelSelector=app=web").length, 3);
  assert.deepEqual(conditions(), [{ type: "Available", status: "True" }]);
  ask("PATCH /apis/apps/v1/namespaces/default/deployments/web", {
    spec: { replicas: 4 },
  });
  assert.equal(pods("labelSelector=app=web").length, 4);
});

Deno.test("the status of a workload says which generation its controller has seen", async () => {
  const { ask } = await openApi({ workers: 1 });
  const seen = () => {
    const { metadata, status } = ask(`GET ${daemonSet}`);
    return [metadata.generation, status.observedGeneration];
  };
  assert.deepEqual(seen(), [1, 1]);
  ask(`PATCH ${daemonSet}`, { metadata: { labels: { a: "b" } } });
  assert.deepEqual(seen(), [1, 1]);
  ask(`PATCH ${daemonSet}`, { spec: { updateStrategy: { type: "OnDelete" } } });
  assert.deepEqual(seen(), [2, 2]);
});

Deno.test("a deployment whose template changes replaces its pods, and never has too few", async () => {
  const api = await openApi({ workers: 1 });
  const { ask, pass, pods } = api;
  const web = `${deployments}/web`;
  const look = () => {
    const { replicas, updatedReplicas, readyReplicas } = ask(`GET ${web}`)
      .status;
    return `${replicas} pods, ${updatedReplicas} new, ${readyReplicas} ready`;
  };
  ask(`POST ${deployments}`, {
    metadata: { name: "web" },
    spec: specWith("web:1", { replicas: 2 }),
  });
  statuses(api, look);
  ask(`PUT ${web}`, {
    metadata: { name: "web" },
    spec: specWith("web:2", { replicas: 2 }),
  });
  // One more than wanted at a time, and as many as wanted are ready.
  assert.deepEqual(statuses(api, look), [
    "3 pods, 1 new, 2 ready",
    "2 pods, 1 new, 2 ready",
    "3 pods, 2 new, 2 ready",
    "2 pods, 2 new, 2 ready",
  ]);
  assert.deepEqual(images(api, "app=web"), ["web:2", "web:2"]);
  ask(`PATCH ${web}`, { spec: { replicas: 1 } });
  pass(1_000);
  assert.equal(pods("labelSelector=app=web").length, 1);
});

Deno.test("a deployment that goes back to an old template has its ReplicaSet again", async () => {
  const api = await openApi({ workers: 1 });
  const { ask } = api;
  ask(`POST ${deployments}`, {
    metadata: { name: "web" },
    spec: specWith("web:1"),
  });
  const change = (image: string) => {
    ask(`PUT ${deployments}/web`, {
      metadata: { name: "web" },
      spec: specWith(image),
    });
    return statuses(api, () => images(api, "app=web")).at(-1);
  };
  assert.deepEqual(change("web:2"), ["web:2"]);
  assert.deepEqual(change("web:1"), ["web:1"]);
  const { items } = ask("GET /apis/apps/v1/namespaces/default/replicasets");
  type Set = { spec: { replicas: number }; status: { replicas: number } };
  assert.deepEqual(
    items.map(({ spec, status }: Set) => [spec.replicas, status.replicas]),
    [[1, 1], [0, 0]],
  );
});

Deno.test("a deployment that recreates its pods has none of two templates at once", async () => {
  const api = await openApi({ workers: 1 });
  const { ask } = api;
  const spec = (image: string) =>
    specWith(image, { replicas: 2, strategy: { type: "Recreate" } });
  ask(`POST ${deployments}`, {
    metadata: { name: "web" },
    spec: spec("web:1"),
  });
  const look = () => images(api, "app=web");
  statuses(api, look);
  ask(`PUT ${deployments}/web`, {
    metadata: { name: "web" },
    spec: spec("web:2"),
  });
  assert.deepEqual(statuses(api, look), [[], ["web:2", "web:2"]]);
});

Deno.test("a DaemonSet whose template changes replaces the pod of one node at a time", async () => {
  const api = await openApi({ workers: 2 });
  const { ask, pass } = api;
  const look = () => {
    const { updatedNumberScheduled, numberReady } = ask(`GET ${daemonSet}`)
      .status;
    return `${updatedNumberScheduled} new, ${numberReady} ready`;
  };
  statuses(api, look);
  const image = "registry.k8s.io/kube-proxy:v1.99.0";
  const change = (spec: object) =>
    ask(`PATCH ${daemonSet}`, { spec: { ...spec } });
  const template = { spec: { containers: [{ name: "kube-proxy", image }] } };
  change({ updateStrategy: { type: "OnDelete" }, template });
  pass(1_000);
  assert.equal(look(), "0 new, 3 ready");
  change({ updateStrategy: { type: "RollingUpdate" } });
  assert.deepEqual(statuses(api, look), [
    "0 new, 2 ready",
    "1 new, 2 ready",
    "2 new, 2 ready",
    "3 new, 2 ready",
    "3 new, 3 ready",
  ]);
  assert.deepEqual(images(api, "k8s-app=kube-proxy"), [image, image, image]);
});

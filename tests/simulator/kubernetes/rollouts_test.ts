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

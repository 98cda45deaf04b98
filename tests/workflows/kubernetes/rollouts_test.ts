import assert from "node:assert/strict";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { manifestObjects } from "../../../simulator/node/contents/manifests.ts";
import {
  type KubernetesObject,
  readFields,
} from "../../../workflows/kubernetes/client.ts";
import { applyManifests } from "../../../workflows/kubernetes/manifests.ts";
import { openRollout } from "../../../workflows/kubernetes/rollouts.ts";
import { startKubernetes } from "./_kubernetes.ts";
import { pods, testOnBoth } from "./_servers.ts";

const objects = manifestObjects("r/kube-proxy:v1.35.0")
  .map((object) => ({ ...object }));

Deno.test("a rollout says how many pods are updated and ready", async () => {
  const { kubernetes, signal } = await startKubernetes();
  const options = { skipUnreachable: false, signal };
  const open = await Promise.all(
    objects.map((object) => openRollout(kubernetes, object, options)),
  );
  assert.deepEqual(open.flatMap((one) => one?.reason ?? []), [
    "apps/v1.DaemonSet/kube-system/kube-flannel: 1 of 1 pods updated, 0 ready",
    "apps/v1.Deployment/kube-system/coredns: 2 of 2 pods updated, 0 ready",
  ]);
});

testOnBoth(
  "a rollout is complete when all pods have the new template and are ready, and not before",
  async ({ kubernetes, runPods }) => {
    const { signal } = new AbortController();
    for (const kind of ["Deployment", "DaemonSet"]) {
      const labels = { app: kind.toLowerCase() };
      for (const image of ["r/agent:v1", "r/agent:v2", "r/agent:v3"]) {
        const object = {
          apiVersion: "apps/v1",
          kind,
          metadata: { name: "agent", namespace: "default" },
          spec: {
            ...kind === "Deployment" ? { replicas: 3 } : {},
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: {
                containers: [{ name: "main", image }],
                tolerations: [{ operator: "Exists" }],
              },
            },
          },
        };
        const options = { serverSide: false, prune: false, signal };
        await Array.fromAsync(applyManifests(kubernetes, [object], options));
        const look = { skipUnreachable: false, signal };
        while (await openRollout(kubernetes, object, look) !== undefined) {
          await runPods();
        }
        const { items } = await kubernetes.request(
          `${pods}?labelSelector=app%3D${labels.app}`,
          { signal },
        );
        const shown = (items as readonly KubernetesObject[])
          .filter(({ metadata }) =>
            readFields(metadata).deletionTimestamp === undefined
          )
          .map(({ spec, status }) =>
            `${JSON.stringify(spec)} ${JSON.stringify(status)}`
          );
        assert.ok(shown.length > 0);
        for (const pod of shown) {
          assert.match(
            pod,
            new RegExp(`"image":"${image}".*"phase":"Running"`),
          );
        }
      }
    }
  },
  true,
);

Deno.test("a DaemonSet that cannot continue while a node is down is blocked, once such nodes are skipped", async () => {
  const { kubernetes, signal, nodes, ask, pass } = await startKubernetes({
    workers: 2,
  });
  const proxy = objects.find(({ metadata }) => metadata.name === "kube-proxy")!; // one of them
  const look = (skipUnreachable: boolean) =>
    openRollout(kubernetes, proxy, { skipUnreachable, signal });
  const path = "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-proxy";
  const change = (spec: object) => {
    ask(`PATCH ${path}`, { spec });
    for (let turn = 0; turn < 20; turn++) {
      ask(`GET ${path}`);
      pass(60);
    }
  };
  change({});
  assert.equal(await look(false), undefined);
  await setFault(nodes[2]!, "kubelet-silent");
  pass(60_000);
  const annotations = { changed: "yes" };
  const template = { metadata: { annotations } };
  change({ template });
  const reason =
    "apps/v1.DaemonSet/kube-system/kube-proxy: 0 of 3 pods updated, 2 ready";
  assert.deepEqual(await look(false), { reason, isBlocked: false });
  assert.deepEqual(await look(true), { reason, isBlocked: true });
  // New pods beside old ones are possible on the other nodes.
  change({ updateStrategy: { rollingUpdate: { maxSurge: 1 } } });
  assert.deepEqual(await look(true), { reason, isBlocked: false });
  change({
    updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "50%" } },
  });
  assert.equal(await look(true), undefined);
  // Its pods are replaced when somebody deletes them.
  annotations.changed = "again";
  change({ template, updateStrategy: { type: "OnDelete" } });
  assert.equal(await look(false), undefined);
});

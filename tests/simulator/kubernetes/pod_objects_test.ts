import assert from "node:assert/strict";
import {
  isReady,
  type KubeObject,
} from "../../../simulator/state/kubernetes_objects.ts";
import {
  findController,
  isFinished,
  isHealthy,
  isTerminating,
  podDraft,
  readNodeName,
  readPhase,
  runningPod,
  toOwner,
} from "../../../simulator/kubernetes/pod_objects.ts";

const set: KubeObject = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: {
    name: "web",
    namespace: "default",
    uid: "42",
    resourceVersion: "1",
    creationTimestamp: "2026-03-01T12:00:00Z",
  },
};

const pod: KubeObject = {
  ...set,
  ...podDraft({
    name: "web-1",
    namespace: "default",
    labels: { app: "web" },
    owner: toOwner(set),
    nodeName: "one",
  }),
  metadata: { ...set.metadata, uid: "43", ownerReferences: [toOwner(set)] },
};

Deno.test("a new pod belongs to its owner and waits to run", () => {
  assert.equal(findController(pod), set.metadata.uid);
  assert.equal(findController(set), undefined);
  assert.equal(readNodeName(pod), "one");
  assert.equal(readNodeName(set), "");
  assert.equal(readPhase(pod), "Pending");
  assert.deepEqual([isFinished(pod), isTerminating(pod), isHealthy(pod)], [
    false,
    false,
    false,
  ]);
});

const host: KubeObject = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { ...pod.metadata, name: "w-1" },
  status: {
    addresses: [{ type: "InternalIP", address: "10.0.0.5" }],
    conditions: [{ type: "Ready", status: "True" }],
  },
};

Deno.test("a pod that runs is healthy while its node is there, unless it is being deleted", () => {
  const runs = runningPod(pod, host);
  assert.deepEqual([isReady(runs), isHealthy(runs)], [true, true]);
  const alone = runningPod(pod, undefined);
  assert.deepEqual([isReady(alone), isHealthy(alone)], [false, false]);
  const deletionTimestamp = "2026-03-01T12:00:00Z";
  const leaving = {
    ...runs,
    metadata: { ...runs.metadata, deletionTimestamp },
  };
  assert.equal(isHealthy(leaving), false);
});

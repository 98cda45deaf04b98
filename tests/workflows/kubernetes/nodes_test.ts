import assert from "node:assert/strict";
import {
  cordonedBy,
  deletePod,
  evict,
  listNodes,
  podsOn,
  readNode,
  setCordon,
} from "../../../workflows/kubernetes/nodes.ts";
import { startKubernetes } from "./_kubernetes.ts";

const worker = "lab-worker-1";
const pods = "/api/v1/namespaces/default/pods";

Deno.test("readNode and listNodes tell state, role and addresses", async () => {
  const { kubernetes, signal, nodes } = await startKubernetes({ workers: 1 });
  nodes[1]!.boot.reachable = false;
  assert.deepEqual(
    (await listNodes(kubernetes, signal)).map((
      { name, ready, reserved, unschedulable },
    ) => [name, ready, reserved, unschedulable]),
    [[
      "lab-controlplane-1",
      true,
      ["node-role.kubernetes.io/control-plane"],
      false,
    ]],
  );
  nodes[1]!.boot.reachable = true;
  await listNodes(kubernetes, signal);
  nodes[1]!.boot.reachable = false;
  assert.deepEqual(await readNode(kubernetes, worker, signal), {
    name: worker,
    unschedulable: false,
    cordonedBy: undefined,
    ready: false,
    reserved: [],
    addresses: [nodes[1]!.identity.address, worker],
    system: "Talos (v1.12.11)",
    labels: {
      "kubernetes.io/arch": "amd64",
      "kubernetes.io/hostname": worker,
      "kubernetes.io/os": "linux",
    },
  });
});

Deno.test("setCordon closes with a name, and opens without a trace", async () => {
  const { kubernetes, signal, ask } = await startKubernetes({ workers: 1 });
  await setCordon(kubernetes, worker, "a test", signal);
  const closed = await readNode(kubernetes, worker, signal);
  assert.deepEqual([closed.unschedulable, closed.cordonedBy], [true, "a test"]);
  assert.equal(cordonedBy, "osctl.dev/cordoned-by");
  await setCordon(kubernetes, worker, undefined, signal);
  const { spec, metadata } = ask(`GET /api/v1/nodes/${worker}`);
  assert.equal(spec.unschedulable, undefined);
  assert.deepEqual(metadata.annotations, {});
});

Deno.test("evict and deletePod mean the pod that was seen, not one that took its name", async () => {
  const { kubernetes, signal, ask } = await startKubernetes({ workers: 1 });
  const metadata = { name: "a" };
  ask(`POST ${pods}`, { metadata, spec: { nodeName: worker } });
  const all = await podsOn(kubernetes, worker, signal);
  const pod = all.find(({ name }) => name === "a")!;
  const other = { ...pod, uid: "other" };
  await assert.rejects(evict(kubernetes, other, signal), { code: 409 });
  await assert.rejects(deletePod(kubernetes, other, signal), { code: 409 });
  const sent: unknown[] = [];
  const request: typeof kubernetes.request = (path, options) => {
    sent.push(path, options.body);
    return kubernetes.request(path, options);
  };
  await evict({ ...kubernetes, request }, pod, signal);
  assert.deepEqual(sent, [`${pods}/a/eviction`, {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { namespace: pod.namespace, name: "a" },
    deleteOptions: { preconditions: { uid: pod.uid } },
  }]);
  assert.ok(ask(`GET ${pods}/a`).metadata.deletionTimestamp);
});

import assert from "node:assert/strict";
import { runRehearsal } from "./_runbooks.ts";
import { openModelLink } from "../../../workflows/rehearsal/model_process.ts";
import { startProcess } from "../../../workflows/rehearsal/simulated_process.ts";
import { newDisk } from "../../../workflows/rehearsal/model_disk.ts";
import { withFolder } from "../../_folder.ts";
import { withModel } from "../../simulator/_model.ts";
import { nodeClient } from "../../../transport/call/client.ts";
import { accessIn } from "../../../workflows/kubernetes/access.ts";
import { readKubeconfig } from "../../../workflows/kubernetes/kubeconfig.ts";
import { KubernetesError } from "../../../workflows/kubernetes/client.ts";
import type { ModelCluster } from "../../../workflows/rehearsal/model/model_cluster.ts";
import { openModelKubernetes } from "../../../workflows/rehearsal/model/model_kubernetes.ts";

const pulling = `apiVersion: osctl/v1
kind: Runbook
name: pull
title: Bring an image to all nodes
requires: { needs: [kubernetes] }
groups:
  all: { order: [name] }
steps:
  - id: pull
    forEach: { nodes: all, strategy: { batch: 5, maxFailures: 0 } }
    steps:
      - id: image
        run: image.pull
        with: { image: "ghcr.io/siderolabs/installer:v1.13.6" }
`;

Deno.test("nodes that are changed at the same time take the lock on their cluster once", async () => {
  const { report, records, problems, violated } = await runRehearsal({
    runbook: pulling,
    cluster: "3cp+2w",
  });
  assert.equal(report?.state, "succeeded");
  assert.equal(report.targets.length, 5);
  const leases = records.flatMap((record) =>
    record.type === "lease" ? [record.data.state] : []
  );
  assert.deepEqual(leases, ["taken", "released"]);
  assert.deepEqual([problems, violated], [[], []]);
});

Deno.test("a lock that another user has is respected", async () => {
  const { report } = await runRehearsal({
    runbook: pulling,
    cluster: "1cp+1w",
    faults: ["k8s: down"],
  });
  assert.equal(report?.state, "blocked");
  assert.equal(report.failure?.code, "lease-lost");
});

Deno.test("files of a run take none of the cluster's time, and its own clock may be off", async () => {
  const { report, files, virtualMs } = await runRehearsal({
    runbook: `apiVersion: osctl/v1
kind: Runbook
name: save
title: Save a snapshot
policy: { lock: none }
steps:
  - id: save
    run: etcd.snapshot
    with: { artifact: a.snapshot }
`,
    faults: ["clock: skew 10m"],
  });
  assert.equal(report?.state, "succeeded");
  assert.equal(virtualMs, 0);
  assert.match(files[0]?.path ?? "", /\/artifacts\/a\.snapshot$/);
});

Deno.test("a simulated process reaches nodes, Kubernetes and facts of a model cluster", async () => {
  await withModel({ workers: 1 }, async (cluster) => {
    await withFolder({}, async (folder) => {
      const process = startProcess({ clock: cluster.clock });
      const { vault } = await newDisk(folder);
      using link = await openModelLink(cluster, process, vault);
      const facts = await link.cluster.readFacts();
      assert.deepEqual(
        facts.nodes.map(({ name, version }) => [name, version]),
        [["demo-controlplane-1", "v1.13.4"], ["demo-worker-1", "v1.13.4"]],
      );
      assert.equal(facts.cluster.name, "demo");
      const kubernetes = await link.view.kubernetes();
      const { signal } = new AbortController();
      const { kind } = await kubernetes.request("/api/v1/nodes", { signal });
      assert.equal(kind, "NodeList");
      const client = await link.ring.at("context", "demo-worker-1", true);
      const { messages } = await client.machine.version({});
      assert.equal(messages[0]?.version?.tag, "v1.13.4");
      const others = link.reopen({ nodes: ["demo-worker-1"] });
      assert.deepEqual(await others.names(), ["demo-worker-1"]);
      others.close();
      const all = await link.nodes.names();
      assert.equal(all.length, 2);
    });
  });
});

const signal = new AbortController().signal;

async function open(cluster: ModelCluster, host: string) {
  const name = "demo-controlplane-1";
  const client = nodeClient(name, cluster.transport(name, cluster.admin), {});
  const access = accessIn(await readKubeconfig(client), "kubeconfig");
  return openModelKubernetes(cluster, {
    ...access,
    server: `https://${host}:6443`,
  });
}

function withCode(code: number, message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof KubernetesError);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  };
}

Deno.test("the Kubernetes of a model cluster answers under the name of all control planes, and no answer leads into it", async () => {
  await withModel({ workers: 1 }, async (cluster) => {
    using kubernetes = await open(cluster, "kube.example");
    const { items } = await kubernetes.request("/api/v1/nodes", { signal });
    // Answers are lists of objects.
    const [first] = items as { metadata: { name: string } }[];
    assert.equal(first?.metadata.name, "demo-controlplane-1");
    first.metadata.name = "changed";
    const again = await kubernetes.request(
      "/api/v1/nodes/demo-controlplane-1",
      { signal },
    );
    assert.equal(again.metadata?.name, "demo-controlplane-1");
  });
});

Deno.test("the Kubernetes of a model cluster refuses with its status", async () => {
  await withModel({}, async (cluster) => {
    using kubernetes = await open(cluster, "kube.example");
    await assert.rejects(
      kubernetes.request("/api/v1/nodes/nobody", { signal }),
      withCode(404, /nodes "nobody" not found/),
    );
  });
});

Deno.test("the Kubernetes of a model cluster has code 0 when its server is not there", async () => {
  await withModel({ controlPlanes: 3 }, async (cluster) => {
    using any = await open(cluster, "kube.example");
    const { address } = cluster.observe().nodes[1]!;
    using second = await open(cluster, address);
    await cluster.inject({ what: "unavailable", node: "demo-controlplane-2" });
    await assert.rejects(
      second.request("/version", { signal }),
      withCode(0, new RegExp(`^Cannot reach Kubernetes at https://${address}`)),
    );
    assert.ok(await any.request("/version", { signal }));
    await cluster.inject({ what: "kubernetes-unavailable" });
    await assert.rejects(
      any.request("/version", { signal }),
      withCode(0, /the connection was refused$/),
    );
  });
});

Deno.test("the Kubernetes of a model cluster does not answer when it is closed, or the caller no longer waits", async () => {
  await withModel({}, async (cluster) => {
    const kubernetes = await open(cluster, "kube.example");
    await assert.rejects(
      kubernetes.request("/version", { signal: AbortSignal.abort() }),
      withCode(0, /the caller no longer waits$/),
    );
    kubernetes[Symbol.dispose]();
    await assert.rejects(
      kubernetes.request("/version", { signal }),
      withCode(0, /the connection was closed$/),
    );
  });
});

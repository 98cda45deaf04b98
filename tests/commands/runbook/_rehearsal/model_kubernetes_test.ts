import assert from "node:assert/strict";
import { nodeClient } from "../../../../transport/client.ts";
import { accessIn } from "../../../../workflows/kubernetes/access.ts";
import { readKubeconfig } from "../../../../workflows/kubernetes/kubeconfig.ts";
import { KubernetesError } from "../../../../workflows/kubernetes/client.ts";
import type { ModelCluster } from "../../../../simulator/model_cluster.ts";
import { openModelKubernetes } from "../../../../commands/runbook/_rehearsal/model_kubernetes.ts";
import { withModel } from "./_model.ts";

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
    const { address } = cluster.truth().nodes[1]!;
    using second = await open(cluster, address);
    await cluster.inject({ what: "down", node: "demo-controlplane-2" });
    await assert.rejects(
      second.request("/version", { signal }),
      withCode(0, new RegExp(`^Cannot reach Kubernetes at https://${address}`)),
    );
    assert.ok(await any.request("/version", { signal }));
    await cluster.inject({ what: "kubernetes-down" });
    await assert.rejects(
      any.request("/version", { signal }),
      withCode(0, /the connection was refused$/),
    );
  });
});

Deno.test("the Kubernetes of a model cluster says nothing when it is closed, or nobody waits", async () => {
  await withModel({}, async (cluster) => {
    const kubernetes = await open(cluster, "kube.example");
    await assert.rejects(
      kubernetes.request("/version", { signal: AbortSignal.abort() }),
      withCode(0, /nobody waits any more$/),
    );
    kubernetes[Symbol.dispose]();
    await assert.rejects(
      kubernetes.request("/version", { signal }),
      withCode(0, /the connection was closed$/),
    );
  });
});

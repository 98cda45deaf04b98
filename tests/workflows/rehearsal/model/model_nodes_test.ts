import assert from "node:assert/strict";
import type { ModelCluster } from "../../../../workflows/rehearsal/model/model_cluster.ts";
import { nodeClient } from "../../../../transport/call/client.ts";
import { clusterMembers } from "../../../../transport/node/members.ts";
import {
  connectModel,
  modelNodes,
} from "../../../../workflows/rehearsal/model/model_nodes.ts";
import { addresses, withModel } from "../_model.ts";

const signal = new AbortController().signal;

function open(cluster: ModelCluster, endpoints: readonly string[]) {
  const connect = connectModel.bind(undefined, cluster);
  const identity = cluster.admin;
  return modelNodes({
    endpoints,
    nodes: ["@workers"],
    transport: connect(endpoints, identity),
    connect,
    identity,
    signal,
  });
}

Deno.test("nodes of a model cluster are selected and asked over the first endpoint that is there", async () => {
  await withModel({ controlPlanes: 3, workers: 2 }, async (cluster) => {
    const [first = "", second = "", , ...workers] = addresses(cluster);
    const nodes = open(cluster, [first, second]);
    assert.deepEqual(await nodes.names(), workers);
    await cluster.inject({ what: "unavailable", node: "demo-controlplane-1" });
    const members = await clusterMembers(await nodes.endpoint());
    assert.equal(members.length, 5);
    await cluster.inject({ what: "unavailable", node: "demo-controlplane-2" });
    await assert.rejects(async () => clusterMembers(await nodes.endpoint()), {
      reason: "refused",
    });
    nodes.close();
  });
});

Deno.test("a call that is not answered ends by the time of the model cluster", async () => {
  await withModel({ controlPlanes: 1, workers: 1 }, async (cluster) => {
    const [endpoint = "", worker = ""] = addresses(cluster);
    const nodes = open(cluster, [endpoint]);
    await cluster.inject({
      what: "slow",
      method: "Version",
      ms: 3_600_000,
    });
    const startedAt = cluster.clock.now();
    await assert.rejects(
      async () => (await nodes.at(worker)).machine.version({}),
      { code: "DEADLINE_EXCEEDED" },
    );
    assert.equal(cluster.clock.now() - startedAt, 30_000);
    nodes.close();
  });
});

Deno.test("a node of a model cluster that may have no configuration is asked straight", async () => {
  await withModel({ workers: 1 }, async (cluster) => {
    const [endpoint = "", worker = ""] = addresses(cluster);
    const nodes = open(cluster, [endpoint]);
    await cluster.inject({ what: "unavailable", node: "demo-controlplane-1" });
    const client = await nodes.unconfigured(worker);
    const { messages } = await client.machine.version({});
    assert.equal(messages[0]?.version?.tag, "v1.13.4");
    nodes.close();
  });
});

Deno.test("without endpoints no node of a model cluster is found", async () => {
  await withModel({}, async (cluster) => {
    const transport = connectModel(cluster, [], cluster.admin);
    const client = nodeClient("nobody", transport, { signal });
    await assert.rejects(client.machine.version({}), {
      message: "Cannot connect: no endpoint is known",
    });
  });
});

import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
import { reachCluster } from "../../../../workflows/runbooks/engine/run_cluster.ts";
import { withView } from "../../_view.ts";

Deno.test("nodes are reached by their addresses, whatever they are called", async () => {
  await withView({ workers: 1 }, async ({ cluster, clock, signal }) => {
    const asked: string[] = [];
    const reached = reachCluster(
      {
        at(node) {
          asked.push(node);
          return cluster.at(node);
        },
        endpoint: () => cluster.at("10.5.0.2"),
      },
      cluster,
      clock,
      signal,
    );
    await reached.at("simulated-worker-1");
    await reached.view.at("10.5.0.2");
    await reached.at("10.9.9.9");
    assert.deepEqual(asked, ["10.5.0.3", "10.5.0.2", "10.9.9.9"]);
  });
});

Deno.test("the whole cluster is read with those who are in it now, nodes that are known with what they are now", async () => {
  await withView({ workers: 2 }, async ({ cluster, clock, signal }) => {
    const endpoint = () => cluster.at("10.5.0.2");
    const view = {
      ...cluster,
      // Facts of the start of the run.
      members: () =>
        cluster.members().then((all) =>
          all.filter(({ hostname }) => hostname !== "simulated-worker-2")
        ),
    };
    const reached = reachCluster(
      { at: cluster.at, endpoint },
      view,
      clock,
      signal,
    );
    const { nodes } = await reached.readFacts();
    assert.deepEqual(nodes.map(({ name }) => name), [
      "simulated-controlplane-1",
      "simulated-worker-1",
      "simulated-worker-2",
    ]);
    const before = nodes.map((node) => ({ ...node, version: "v0.0.0" }));
    const again = await reached.readAgain(before.slice(1));
    assert.deepEqual(again.map(({ name, version }) => [name, version]), [
      ["simulated-worker-1", nodes[1]?.version],
      ["simulated-worker-2", nodes[2]?.version],
    ]);
  });
});

Deno.test("a cluster none of whose endpoints answers is reported", async () => {
  await withView({}, async ({ cluster, clock, signal }) => {
    const gone = () => Promise.reject(new RpcError("UNAVAILABLE", "away"));
    const reached = reachCluster(
      { at: cluster.at, endpoint: gone },
      cluster,
      clock,
      signal,
    );
    await assert.rejects(() => reached.readFacts(), { name: "RpcError" });
  });
});

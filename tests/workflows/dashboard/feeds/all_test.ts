import assert from "node:assert/strict";
import type { NodeClient } from "../../../../transport/call/client.ts";
import { logLine } from "../../../../simulator/node/logs.ts";
import type { Feed } from "../../../../workflows/dashboard/feed.ts";
import {
  conditionText,
  etcd,
  health,
  logNames,
  logTail,
  metrics,
  resources,
  services,
  specsIn,
  types,
  vitals,
} from "../../../../workflows/dashboard/feeds/all.ts";
import { createSource } from "../../../../workflows/dashboard/source.ts";
import { withCluster } from "../../../_cluster.ts";
import { testClient } from "../../../simulator/_client.ts";

Deno.test("nodes answer all that the dashboard asks them for", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    const [first, worker] = cluster.nodes;
    const [node, other] = [first!.identity.address, worker!.identity.address];
    const identity = await cluster.identify(["os:admin"]);
    const clients: Disposable[] = [];
    let changed = Promise.withResolvers<void>();
    const source = createSource({
      nodes: [other, node],
      at(name, signal): Promise<NodeClient> {
        const client = testClient({
          endpoint: cluster.endpoints[0]!,
          identity,
          metadata: { node: [name] },
        });
        clients.push(client);
        return Promise.resolve(Object.assign(client, { node: name, signal }));
      },
      everyMs: 100,
      now: Date.now,
      changed() {
        changed.resolve();
        changed = Promise.withResolvers<void>();
      },
    });
    const info = resources("cluster", "Infos.cluster", "current");
    const apid = logTail("apid");
    const kernel = logTail("kernel");
    const own = [health, vitals, metrics, services, apid, kernel, info, types];
    source.want([
      // Feeds of different types meet here.
      ...own.map((feed) => ({ node, feed: feed as Feed<unknown> })),
      { node: other, feed: etcd },
    ]);

    async function value<T>(
      feed: Feed<T>,
      fits: (value: T) => boolean = () => true,
      at = node,
    ): Promise<T> {
      for (;;) {
        const { value } = source.of(at, feed);
        if (value !== undefined && fits(value)) return value;
        await changed.promise;
      }
    }

    const found = await value(health);
    assert.deepEqual(found, {
      stage: "running",
      ready: true,
      unmet: [],
      version: "v1.12.11",
      hostname: first!.identity.hostname,
      role: "controlplane",
    });
    assert.equal(conditionText({ value: found }), "running");
    const share = await value(vitals);
    assert.ok(share.processors > 0.02 && share.processors < 0.3);
    assert.ok(share.memory > 0.2 && share.memory < 0.3);
    const figures = await value(
      metrics,
      ({ series }) => series.load.length > 1,
    );
    assert.equal(figures.processorText, "4x2.49GHz");
    assert.equal(figures.processorCount, 4);
    assert.ok(figures.rates.received > 0 && figures.rates.written > 0);
    assert.ok(figures.processes.length > 10);
    assert.equal(figures.processes[0]!.process.pid > 0, true);
    const all = await value(services);
    assert.ok(all.some(({ id, isHealthy }) => id === "etcd" && isHealthy));
    assert.deepEqual(logNames(source, node).slice(0, 2), ["kernel", "apid"]);
    assert.ok(await value(kernel, ({ lines }) => lines.length > 10));
    logLine(first!, "apid", "a line that comes later");
    await value(apid, ({ lines }) => lines.includes("a line that comes later"));
    await value(info, (known) => known.size === 1);
    const [cluster1] = specsIn(source, node, info).values();
    assert.equal(cluster1!.clusterName, cluster.name);
    const known = await value(types);
    assert.ok(known.some(({ displayType }) => displayType === "Service"));
    // A worker has no etcd: a control plane is asked.
    const view = await value(etcd, () => true, other);
    assert.equal(view.node, node);
    assert.deepEqual(view.members.map(({ hostname }) => hostname), [
      first!.identity.hostname,
    ]);
    assert.equal(view.members[0]!.status!.leader, view.members[0]!.id);
    await source.close();
    for (const client of clients) client[Symbol.dispose]();
  });
});

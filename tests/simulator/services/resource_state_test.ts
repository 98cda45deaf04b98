import assert from "node:assert/strict";
import { parse } from "yaml";
import { RpcError } from "../../../errors.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import { setStage } from "../../../simulator/node/stage.ts";
import {
  EventType,
  type WatchRequest,
  type WatchResponse,
} from "../../../transport/gen/cosi_resource.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

const status = {
  namespace: "runtime",
  type: "MachineStatuses.runtime.talos.dev",
};
function openAdmin({ endpoints, adminIdentity: identity }: RunningCluster) {
  return testClient({ endpoint: endpoints[0]!, identity });
}

Deno.test("secrets, unknown types, unknown namespaces and writes are refused", async () => {
  await withCluster({}, async (cluster) => {
    const endpoint = cluster.endpoints[0]!;
    const identity = await cluster.identify(["os:reader"]);
    using reader = testClient({ endpoint, identity });
    using admin = openAdmin(cluster);
    const config = {
      namespace: "config",
      type: "MachineConfigs.config.talos.dev",
      id: "v1alpha1",
    };
    await assert.rejects(
      reader.state.get(config),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    );
    const { resource } = await admin.state.get(config);
    assert.deepEqual(resource!.metadata!.annotations, {
      "talos.dev/yaml-spec": "1",
    });
    assert.match(parse(resource!.spec!.yamlSpec), /^version: v1alpha1\n/);
    await assert.rejects(
      admin.state.get({ ...status, type: "Nothings.talos.dev", id: "x" }),
      new RpcError(
        "PERMISSION_DENIED",
        'resource type "Nothings.talos.dev" is not supported',
      ),
    );
    await assert.rejects(
      admin.state.get({ ...status, namespace: "nowhere", id: "x" }),
      new RpcError("PERMISSION_DENIED", 'namespace "nowhere" is not supported'),
    );
    await assert.rejects(
      admin.state.destroy({ ...status, id: "machine" }),
      new RpcError("PERMISSION_DENIED", "write access is not allowed"),
    );
    await assert.rejects(
      reader.state.destroy({ ...status, id: "machine" }),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    );
  });
});

/** Reads a watch until it has shown `count` events. */
async function watchEvents(
  cluster: RunningCluster,
  request: Partial<WatchRequest>,
  count: number,
  act: () => void = () => {},
): Promise<string[]> {
  using client = openAdmin(cluster);
  const seen: string[] = [];
  let isFirst = true;
  for await (const response of client.state.watch(request)) {
    if (isFirst) {
      assert.deepEqual(response, { event: [] });
      act();
      isFirst = false;
    }
    seen.push(...describe(response));
    if (seen.length >= count) break;
  }
  return seen;
}

function describe({ event }: WatchResponse): string[] {
  return event.map(({ eventType, resource }) => {
    const [name] = Object.entries(EventType).find(([, value]) =>
      value === eventType
    )!;
    return `${name} ${resource?.metadata?.id}@${resource?.metadata?.version}`;
  });
}

Deno.test("Watch does not tell clients of version 0 about the end of the contents", async () => {
  await withCluster({}, async (cluster) => {
    const options = { bootstrapContents: true } as WatchRequest["options"];
    const act = () => setStage(cluster.nodes[0]!, 5, []);
    const seen = await watchEvents(cluster, { ...status, options }, 2, act);
    assert.deepEqual(seen, ["CREATED machine@2", "UPDATED machine@3"]);
  });
});

Deno.test("Watch of one resource starts with it, or with its absence", async () => {
  await withCluster({}, async (cluster) => {
    const machine = await watchEvents(cluster, {
      ...status,
      id: "machine",
      apiVersion: 1,
    }, 1);
    assert.deepEqual(machine, ["CREATED machine@2"]);
    const nothing = await watchEvents(cluster, {
      ...status,
      id: "nothing",
      apiVersion: 1,
    }, 1);
    assert.deepEqual(nothing, ["DESTROYED nothing@undefined"]);
  });
});

Deno.test("Watch continues behind a bookmark of the same boot and refuses any other", async () => {
  await withCluster({}, async (cluster) => {
    using client = openAdmin(cluster);
    const [node] = cluster.nodes;
    let bookmark: Uint8Array | undefined;
    const request = {
      ...status,
      options: { bootstrapBookmark: true },
      apiVersion: 1,
    };
    for await (const { event } of client.state.watch(request)) {
      bookmark = event[0]?.bookmark;
      if (bookmark) break;
    }
    setStage(node!, 5, []);
    setStage(node!, 4, []);
    const options = { startFromBookmark: bookmark } as WatchRequest["options"];
    const seen = await watchEvents(
      cluster,
      { ...status, options, apiVersion: 1 },
      2,
    );
    assert.deepEqual(seen, ["UPDATED machine@3", "UPDATED machine@4"]);
    node!.boot = { ...node!.boot, id: "00000000-0000-4000-8000-000000000000" };
    await assert.rejects(
      watchEvents(cluster, { ...status, options, apiVersion: 1 }, 1),
      new RpcError("FAILED_PRECONDITION", "invalid watch bookmark"),
    );
  });
});

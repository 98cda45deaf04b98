import assert from "node:assert/strict";
import { DependencyEdgeType as Kind } from "../../../transport/gen/inspect.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

Deno.test("controllers write what they own, and read what is there", async () => {
  await withCluster({}, async (cluster) => {
    const identity = await cluster.identify(["os:reader"]);
    using client = testClient({ endpoint: cluster.endpoints[0]!, identity });
    const { messages: [reply] } = await client.inspect
      .controllerRuntimeDependencies({});
    const edges = reply!.edges;
    const of = (name: string) =>
      edges.filter(({ controllerName }) => controllerName === name).map((
        { edgeType, resourceType, resourceId },
      ) => [edgeType, resourceType.split(".")[0], resourceId]);
    assert.deepEqual(of("config.MachineTypeController"), [
      [Kind.OUTPUT_EXCLUSIVE, "MachineTypes", ""],
      [Kind.INPUT_WEAK, "MachineConfigs", "v1alpha1"],
    ]);
    assert.ok(edges.every(({ controllerName }) => controllerName !== ""));
  });
});

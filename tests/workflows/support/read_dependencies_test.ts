import assert from "node:assert/strict";
import { readDependencies } from "../../../workflows/support/read_dependencies.ts";
import { fakeNodes } from "../../_fake.ts";

Deno.test("dependencies are read with words for their kinds, and empty namespaces as they are", async () => {
  const edges = [{
    controllerName: "k8s.NodeStatusController",
    edgeType: 0,
    resourceNamespace: "k8s",
    resourceType: "NodeStatuses.kubernetes",
    resourceId: "",
  }];
  const client = await fakeNodes({
    a: { controllerRuntimeDependencies: () => ({ messages: [{ edges }] }) },
  }).nodes.at("a");
  assert.deepEqual(await readDependencies(client, { withResources: false }), {
    edges: [{
      controller: "k8s.NodeStatusController",
      kind: "output-exclusive",
      namespace: "k8s",
      type: "NodeStatuses.kubernetes",
      id: "",
    }],
  });
});

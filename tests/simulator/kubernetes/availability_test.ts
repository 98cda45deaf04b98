import assert from "node:assert/strict";
import {
  hasApiServer,
  hasKubelet,
  hasQuorum,
} from "../../../simulator/kubernetes/availability.ts";
import { stopService } from "../../../simulator/node/system_services.ts";
import { bootNodes, makeNodes } from "../_node.ts";

Deno.test("a node that is off has neither", async () => {
  const nodes = await makeNodes();
  assert.deepEqual(nodes.map(hasKubelet), [false]);
  assert.deepEqual(nodes.map(hasApiServer), [false]);
});

Deno.test("two of three are a majority, one is none", async () => {
  const nodes = await bootNodes({ controlplanes: 3 });
  stopService(nodes[0]!, "etcd");
  assert.equal(hasQuorum(nodes), true);
  stopService(nodes[1]!, "etcd");
  assert.equal(hasQuorum(nodes), false);
});

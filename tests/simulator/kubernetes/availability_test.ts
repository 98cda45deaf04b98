import assert from "node:assert/strict";
import {
  hasApiServer,
  hasKubelet,
  hasQuorum,
} from "../../../simulator/kubernetes/availability.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { stopService } from "../../../simulator/node/system_services.ts";
import { bootNodes, makeNodes } from "../_node.ts";

Deno.test("a control plane that runs has an API server, a worker a kubelet only", async () => {
  const nodes = await bootNodes({ workers: 1 });
  assert.deepEqual(nodes.map(hasKubelet), [true, true]);
  assert.deepEqual(nodes.map(hasApiServer), [true, false]);
});

Deno.test("a node that is off has neither", async () => {
  const nodes = await makeNodes();
  assert.deepEqual(nodes.map(hasKubelet), [false]);
  assert.deepEqual(nodes.map(hasApiServer), [false]);
});

Deno.test("without etcd beside it, or with the fault, there is no API server", async () => {
  const [one, two] = await bootNodes({ controlplanes: 2 });
  stopService(one!, "etcd");
  await setFault(two!, "kubernetes-unavailable", { calls: 1 });
  assert.equal(hasApiServer(one!), false);
  assert.equal(hasApiServer(two!), false);
  assert.equal(hasApiServer(two!), true);
});

Deno.test("two of three are a majority, one is none", async () => {
  const nodes = await bootNodes({ controlplanes: 3 });
  stopService(nodes[0]!, "etcd");
  assert.equal(hasQuorum(nodes), true);
  stopService(nodes[1]!, "etcd");
  assert.equal(hasQuorum(nodes), false);
});

import assert from "node:assert/strict";
import { listSockets } from "../../../simulator/node/sockets.ts";
import { stopService } from "../../../simulator/node/system_services.ts";
import { bootNodes } from "../_node.ts";

Deno.test("sockets are those of programs that run", async () => {
  const [controlPlane, worker] = await bootNodes({ workers: 1 });
  const programs = (node: typeof controlPlane) =>
    new Set(listSockets(node!).map(({ process: { name } }) => name));
  assert.ok(programs(controlPlane).has("etcd"));
  assert.ok(!programs(worker).has("etcd"));
  assert.ok(programs(worker).has("kubelet"));
  stopService(worker!, "kubelet");
  assert.deepEqual([...programs(worker)].sort(), ["", "apid", "init"]);
});

import assert from "node:assert/strict";
import { socketsOf } from "../../../simulator/node/sockets.ts";
import { stopService } from "../../../simulator/node/system_services.ts";
import { ConnectRecord_State as State } from "../../../transport/gen/machine_system.ts";
import { bootedNodes } from "../_node.ts";

Deno.test("sockets are those of programs that run", async () => {
  const [controlPlane, worker] = await bootedNodes({ workers: 1 });
  const programs = (node: typeof controlPlane) =>
    new Set(socketsOf(node!).map(({ process: { name } }) => name));
  assert.ok(programs(controlPlane).has("etcd"));
  assert.ok(!programs(worker).has("etcd"));
  assert.ok(programs(worker).has("kubelet"));
  stopService(worker!, "kubelet");
  assert.deepEqual([...programs(worker)].sort(), [
    "",
    "apid",
    "init",
  ]);
});

Deno.test("both ends of a connection of a node with itself are there", async () => {
  const [node] = await bootedNodes();
  const connected = socketsOf(node!).filter(({ state }) =>
    state === State.ESTABLISHED
  );
  const end = ({ ip, port }: { readonly ip: string; readonly port: number }) =>
    `${ip}:${port}`;
  const server = connected.find(({ local }) => end(local) === "127.0.0.1:2379");
  const client = connected.find(({ remote }) =>
    end(remote) === "127.0.0.1:2379"
  );
  assert.equal(end(server!.remote), end(client!.local));
  assert.deepEqual([server!.process.name, client!.process.name], [
    "etcd",
    "kube-apiserver",
  ]);
});

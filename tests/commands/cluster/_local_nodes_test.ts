import assert from "node:assert/strict";
import { localNodes } from "../../../commands/cluster/_local_nodes.ts";
import { writeState } from "../../../provisioners/state.ts";

function node(name: string, type: string, ip: string) {
  return {
    id: ip,
    uuid: "",
    name,
    type,
    nanocpus: 0,
    memory: 0,
    disksize: 0,
    ips: [ip],
    apiport: 0,
  };
}

Deno.test("localNodes finds nodes by name, address and selector, each once", async () => {
  const state = await Deno.makeTempDir();
  try {
    const place = { state, name: "lab" };
    await writeState(place, {
      provisionername: "embedded",
      clusterinfo: {
        clustername: "lab",
        network: { name: "lab", cidrs: [], gatewayaddrs: [], mtu: 1500 },
        nodes: [
          node("cp-1", "controlplane", "10.0.0.2"),
          node("w-1", "worker", "10.0.0.3"),
        ],
        kubernetesendpoint: "",
      },
    });
    const names = async (...wanted: string[]) =>
      (await localNodes(place, wanted)).map(({ name }) => name);
    assert.deepEqual(await names(), ["cp-1", "w-1"]);
    assert.deepEqual(await names("@workers", "10.0.0.3", "w-1"), ["w-1"]);
    assert.deepEqual(await names("@controlplane"), ["cp-1"]);
    await assert.rejects(names("cp-2"), {
      message: 'Cannot find node "cp-2" in cluster "lab"',
      hint: "Did you mean cp-1?",
    });
  } finally {
    await Deno.remove(state, { recursive: true });
  }
});

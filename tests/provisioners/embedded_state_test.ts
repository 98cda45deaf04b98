import assert from "node:assert/strict";
import { embeddedState } from "../../provisioners/embedded_state.ts";

const identity = {
  hostname: "lab-worker-1",
  address: "127.60.0.2",
  machineType: "worker",
  uuid: "42",
} as const;

Deno.test("embeddedState describes the nodes that run", () => {
  const running = {
    cidr: "127.60.0.0/16",
    nodes: [{ identity }],
    ports: [50_000],
  };
  assert.deepEqual(embeddedState("lab", running), {
    provisionername: "embedded",
    clusterinfo: {
      clustername: "lab",
      network: {
        name: "lab",
        cidrs: ["127.60.0.0/16"],
        gatewayaddrs: [],
        mtu: 65_536,
      },
      nodes: [{
        id: "127.60.0.2",
        uuid: "42",
        name: "lab-worker-1",
        type: "worker",
        nanocpus: 0,
        memory: 0,
        disksize: 0,
        ips: ["127.60.0.2"],
        apiport: 50_000,
      }],
      kubernetesendpoint: "https://127.60.0.2:6443",
    },
  });
});

Deno.test("embeddedState knows neither network nor nodes before the first start", () => {
  const { network, nodes, kubernetesendpoint } =
    embeddedState("lab").clusterinfo;
  assert.deepEqual([network.cidrs, nodes, kubernetesendpoint], [[], [], ""]);
});

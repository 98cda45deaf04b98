import assert from "node:assert/strict";
import {
  health,
  resources,
} from "../../../../workflows/dashboard/feeds/all.ts";
import { networkPage } from "../../../../workflows/dashboard/pages/network.ts";
import { makeData, makeMap, pageContext, renderPage } from "../_data.ts";

const node = "10.0.0.9";

Deno.test("a node in maintenance mode shows its network, and the command that configures it", () => {
  const network = (type: string, id?: string) =>
    resources("network", `${type}.net`, id);
  const data = makeData([
    [node, health, {
      value: {
        stage: "maintenance",
        ready: false,
        unmet: [],
        version: "v1.12.11",
        hostname: "",
        role: "",
      },
    }],
    [node, network("HostnameStatuses", "hostname"), {
      value: makeMap({ hostname: "hostname: fresh\n" }),
    }],
    [node, network("NodeAddresses"), {
      value: makeMap({
        routed: "addresses: [10.0.0.9/24, 'fd00::9/64']\n",
      }),
    }],
    [node, network("NetworkStatuses", "status"), {
      value: makeMap({
        status: "addressReady: true\nconnectivityReady: false\n",
      }),
    }],
    [node, network("ResolverStatuses", "resolvers"), {
      value: makeMap({ resolvers: "dnsServers: [1.1.1.1]\n" }),
    }],
    [node, network("TimeServerStatuses", "timeservers"), {
      value: makeMap({ timeservers: "timeServers: []\n" }),
    }],
    [node, network("RouteStatuses"), {
      value: makeMap({
        a: "dst: ''\ngateway: 10.0.0.1\noutLinkName: eth0\npriority: 1024\n",
        b: "dst: 10.0.0.0/24\ngateway: ''\noutLinkName: eth0\npriority: 0\n",
      }),
    }],
    [node, network("LinkStatuses"), {
      value: makeMap({
        eth0:
          "operationalState: up\ntype: ether\nhardwareAddr: 52:54:00:aa:bb:cc\nmtu: 1500\n",
      }),
    }],
    [node, network("AddressStatuses"), {
      value: makeMap({
        x: "address: 10.0.0.9/24\nlinkName: eth0\nscope: global\n",
      }),
    }],
    [node, resources("runtime", "MetaKeys.runtime"), {
      value: makeMap({
        "0x0a": "value: |\n  hostnames:\n    - hostname: fresh\n",
      }),
    }],
  ]);
  assert.deepEqual(
    renderPage(networkPage, pageContext(data, { nodes: [node] })),
    [
      "HOST fresh                     CONNECTIVITY FAILED",
      "IP   10.0.0.9/24, fd00::9/64   DNS          1.1.1.1",
      "GW   10.0.0.1                  NTP          <none>",
      "",
      "LINK  STATE  TYPE   HARDWARE ADDRESS   MTU",
      "eth0  up     ether  52:54:00:aa:bb:cc  1500",
      "",
      "ADDRESS      LINK  SCOPE",
      "10.0.0.9/24  eth0  global",
      "",
      "DESTINATION  GATEWAY   LINK  METRIC",
      "default      10.0.0.1  eth0  1024",
      "10.0.0.0/24  -         eth0  0",
      "",
      "META key 0x0a:",
      "  hostnames:",
      "    - hostname: fresh",
      "",
      "The node is in maintenance mode and has no configuration yet. Apply one with:",
      "  osctl apply-config --insecure --nodes 10.0.0.9 --file FILE",
    ],
  );
});

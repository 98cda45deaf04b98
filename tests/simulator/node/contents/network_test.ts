import assert from "node:assert/strict";
import {
  hardwareAddress,
  networkContents,
} from "../../../../simulator/node/contents/network.ts";
import { madeNodes } from "../../_node.ts";

function idsOf(contents: ReturnType<typeof networkContents>, type: string) {
  return contents.filter((content) => content.type === type).map(({ id }) =>
    id
  );
}

Deno.test("network is one wired link with an address and a gateway", async () => {
  const [node] = await madeNodes();
  const contents = networkContents(node!);
  assert.deepEqual(idsOf(contents, "LinkStatuses.net"), ["lo", "eth0"]);
  assert.deepEqual(idsOf(contents, "AddressStatuses.net"), [
    "lo/127.0.0.1/8",
    "eth0/10.5.0.2/24",
  ]);
  assert.deepEqual(idsOf(contents, "RouteStatuses.net"), [
    "inet4/10.5.0.1//1024",
    "inet4//10.5.0.0/24/1024",
  ]);
  assert.match(hardwareAddress(node!), /^52:54:00(:[0-9a-f]{2}){3}$/);
});

Deno.test("network of an IPv6 node is IPv6", async () => {
  const addresses = () => ({ host: "fd00::7", port: 0 });
  const [node] = await madeNodes({ addresses });
  const contents = networkContents(node!);
  assert.deepEqual(
    idsOf(contents, "AddressStatuses.net")[1],
    "eth0/fd00::7/64",
  );
  assert.deepEqual(idsOf(contents, "RouteStatuses.net"), [
    "eth0/inet6/fd00::1//1024",
    "eth0/inet6//fd00::/64/1024",
  ]);
});

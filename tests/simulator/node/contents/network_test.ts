import assert from "node:assert/strict";
import { networkContents } from "../../../../simulator/node/contents/network.ts";
import { makeNodes } from "../../_node.ts";

function listIds(contents: ReturnType<typeof networkContents>, type: string) {
  return contents.filter((content) => content.type === type).map(({ id }) =>
    id
  );
}

Deno.test("network of an IPv6 node is IPv6", async () => {
  const addresses = () => ({ host: "fd00::7", port: 0 });
  const [node] = await makeNodes({ addresses });
  const contents = networkContents(node!);
  assert.deepEqual(
    listIds(contents, "AddressStatuses.net")[1],
    "eth0/fd00::7/64",
  );
  assert.deepEqual(listIds(contents, "RouteStatuses.net"), [
    "eth0/inet6/fd00::1//1024",
    "eth0/inet6//fd00::/64/1024",
  ]);
});

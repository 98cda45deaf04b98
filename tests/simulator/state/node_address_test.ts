import assert from "node:assert/strict";
import {
  addressOf,
  answeringNode,
  endpointOf,
  loopbackAddresses,
} from "../../../simulator/state/node_address.ts";
import { madeNodes } from "../_node.ts";

Deno.test("a node is known by its address, else by where it listens, else by its number", () => {
  assert.equal(
    addressOf({ host: "localhost", port: 1, address: "10.0.0.1" }, 0),
    "10.0.0.1",
  );
  assert.equal(addressOf({ host: "localhost", port: 1 }, 0), "localhost");
  assert.equal(addressOf(undefined, 0), "10.5.0.2");
  assert.equal(addressOf(undefined, 499), "10.5.2.1");
  assert.deepEqual(loopbackAddresses(1), {
    host: "127.0.0.1",
    port: 0,
    address: "10.5.0.3",
  });
});

Deno.test("an endpoint puts an IPv6 address in brackets", () => {
  assert.equal(endpointOf({ host: "::1", port: 50000 }), "[::1]:50000");
  assert.equal(
    endpointOf({ host: "localhost", port: 50000 }),
    "localhost:50000",
  );
});

Deno.test("a node answers for itself unless its address has moved", async () => {
  const [first, second, third] = await madeNodes({ controlplanes: 3 });
  assert.equal(answeringNode(first!), first);
  first!.faults.set("vip-moves", { remaining: Infinity, triggered: false });
  assert.equal(answeringNode(first!), third);
  first!.faults.set("vip-moves", {
    node: "lab-controlplane-2",
    remaining: Infinity,
    triggered: false,
  });
  assert.equal(answeringNode(first!), second);
  const [alone] = await madeNodes();
  alone!.faults.set("vip-moves", { remaining: Infinity, triggered: false });
  assert.equal(answeringNode(alone!), alone);
});

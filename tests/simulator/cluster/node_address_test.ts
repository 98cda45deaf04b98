import assert from "node:assert/strict";
import {
  addressOf,
  endpointOf,
  loopbackPlaces,
} from "../../../simulator/cluster/node_address.ts";

Deno.test("a node is known by its address, else by where it listens, else by its number", () => {
  assert.equal(
    addressOf({ host: "localhost", port: 1, address: "10.0.0.1" }, 0),
    "10.0.0.1",
  );
  assert.equal(addressOf({ host: "localhost", port: 1 }, 0), "localhost");
  assert.equal(addressOf(undefined, 0), "10.5.0.2");
  assert.equal(addressOf(undefined, 499), "10.5.2.1");
  assert.deepEqual(loopbackPlaces(1), {
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

import assert from "node:assert/strict";
import { claimSubnet, placeIn } from "../../provisioners/loopback.ts";

Deno.test("claimSubnet gives every cluster a subnet of its own", () => {
  using one = claimSubnet("linux");
  using two = claimSubnet("linux");
  assert.match(one.cidr, /^127\.\d+\.0\.0\/16$/);
  assert.notEqual(one.cidr, two.cidr);
});

Deno.test("claimSubnet gives back the subnet a cluster had, unless another has it", () => {
  const before = claimSubnet("linux");
  assert.throws(() => claimSubnet("linux", { wanted: before.cidr }), {
    message: `Cannot take ${before.cidr}: another cluster has it`,
  });
  before[Symbol.dispose]();
  using again = claimSubnet("linux", { wanted: before.cidr });
  assert.equal(again.cidr, before.cidr);
});

Deno.test("claimSubnet leaves subnets to clusters that do not run now", () => {
  const one = claimSubnet("linux");
  one[Symbol.dispose]();
  using other = claimSubnet("linux", { taken: [one.cidr] });
  assert.notEqual(other.cidr, one.cidr);
  using again = claimSubnet("linux", { wanted: one.cidr, taken: [one.cidr] });
  assert.equal(again.cidr, one.cidr);
});

Deno.test("placeIn counts addresses over the end of a byte", () => {
  assert.deepEqual(placeIn("127.60.0.0/16", 0), {
    host: "127.60.0.2",
    port: 50_000,
    address: "127.60.0.2",
  });
  assert.equal(placeIn("127.60.0.0/16", 300).host, "127.60.1.46");
});

Deno.test("placeIn shares one address where loopback has no more", () => {
  assert.deepEqual(placeIn(claimSubnet("darwin").cidr, 1), {
    host: "127.0.0.1",
    port: 0,
    address: "10.5.0.3",
  });
});

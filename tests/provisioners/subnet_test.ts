import assert from "node:assert/strict";
import {
  freeSubnet,
  routedSubnets,
  sameSubnet,
} from "../../provisioners/subnet.ts";

Deno.test("sameSubnet does not mind how subnets were typed", () => {
  assert.equal(sameSubnet("10.5.0.240/24", "10.5.0.0/24"), true);
  assert.equal(sameSubnet("10.5.0.0/24", "10.5.0.0/25"), false);
  assert.equal(sameSubnet("fd00::/64", "fd00::/64"), false);
});

Deno.test("freeSubnet leaves out what is taken", () => {
  assert.equal(freeSubnet([]), "10.5.0.0/24");
  assert.equal(freeSubnet(["10.5.0.0/23", "10.5.2.7/32"]), "10.5.3.0/24");
  assert.equal(freeSubnet(["10.0.0.0/8"]), undefined);
});

Deno.test("routedSubnets reads the kernel's table, without the default route", () => {
  const table = `Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask
eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0
eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0
`;
  assert.deepEqual(routedSubnets(table), [
    { cidr: "192.0.2.0/24", device: "eth0" },
  ]);
});

import assert from "node:assert/strict";
import { claimSubnet, placeIn } from "../../provisioners/loopback.ts";

/** Tests that run at once must not want the same. */
const seed = crypto.randomUUID();

const ignore = Deno.build.os !== "linux";

Deno.test(
  "claimSubnet gives every cluster a subnet of its own, as large as it needs",
  { ignore },
  () => {
    using one = claimSubnet("linux", { seed, nodes: 250 });
    using two = claimSubnet("linux", { seed, nodes: 250 });
    assert.match(
      one.cidr,
      /^127\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.0\/24$/,
    );
    assert.match(two.cidr, /^127\.\d+\.\d+\.0\/24$/);
    assert.notEqual(one.cidr, two.cidr);
    using large = claimSubnet("linux", { seed, nodes: 251 });
    assert.match(large.cidr, /^127\.(12[89]|1[3-8]\d|19[01])\.0\.0\/16$/);
  },
);

Deno.test("claimSubnet gives a cluster the same subnet when it is made again", {
  ignore,
}, () => {
  const first = claimSubnet("linux", { seed, nodes: 1 });
  first[Symbol.dispose]();
  const again = claimSubnet("linux", { seed, nodes: 1 });
  again[Symbol.dispose]();
  assert.equal(again.cidr, first.cidr);
  using other = claimSubnet("linux", { seed: `${seed}x`, nodes: 1 });
  assert.notEqual(other.cidr, first.cidr);
});

Deno.test(
  "claimSubnet gives back the subnet a cluster had, unless another has it",
  { ignore },
  () => {
    const before = claimSubnet("linux", { seed, nodes: 1 });
    const wishes = { seed: "another", nodes: 1, wanted: before.cidr };
    assert.throws(() => claimSubnet("linux", wishes), {
      message: `Cannot take ${before.cidr}: another cluster has it`,
      hint: "Remove clusters with: osctl cluster destroy",
    });
    before[Symbol.dispose]();
    using again = claimSubnet("linux", wishes);
    assert.equal(again.cidr, before.cidr);
  },
);

Deno.test("placeIn counts addresses over the end of a byte", () => {
  assert.deepEqual(placeIn("127.60.0.0/16", 0), {
    host: "127.60.0.2",
    port: 50_000,
    address: "127.60.0.2",
  });
  assert.equal(placeIn("127.60.0.0/16", 300).host, "127.60.1.46");
  assert.equal(placeIn("127.64.9.0/24", 3).host, "127.64.9.5");
});

Deno.test("placeIn shares one address where loopback has no more", () => {
  const { cidr } = claimSubnet("darwin", { seed, nodes: 2 });
  assert.deepEqual(placeIn(cidr, 1), {
    host: "127.0.0.1",
    port: 0,
    address: "10.5.0.3",
  });
});

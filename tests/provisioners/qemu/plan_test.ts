import assert from "node:assert/strict";
import { addressIn, planCluster } from "../../../provisioners/qemu/plan.ts";
import { planned } from "./_spec.ts";

const request = { ...planned, workers: 1 };

Deno.test("planCluster gives names and addresses, control planes first", async () => {
  let next = 0;
  const plan = await planCluster(
    { ...request, ipv6: true, hasInitNode: true },
    () => `uuid-${++next}`,
  );
  assert.deepEqual(plan.subnets, [
    { cidr: "10.5.0.0/24", prefix: 24, gateway: "10.5.0.1" },
    { cidr: "fd74:616c:a05:0::/64", prefix: 64, gateway: "fd74:616c:a05:0::1" },
  ]);
  assert.equal(plan.vip, "10.5.0.50");
  assert.match(plan.bridge, /^osbr[0-9a-f]{8}$/);
  assert.deepEqual(
    plan.machines.map((
      { name, type, uuid, ips },
    ) => [name, type, uuid, ...ips]),
    [
      [
        "lab-controlplane-1",
        "init",
        "uuid-1",
        "10.5.0.2",
        "fd74:616c:a05:0::2",
      ],
      ["lab-worker-1", "worker", "uuid-2", "10.5.0.3", "fd74:616c:a05:0::3"],
    ],
  );
  const [first, second] = plan.machines;
  assert.notEqual(first?.mac, second?.mac);
  assert.match(first?.tap ?? "", /^ot[0-9a-f]{8}-1$/);
});

Deno.test("planCluster keeps clusters in different folders apart, and names machines after their UUIDs", async () => {
  const [one, other] = await Promise.all([
    planCluster({ ...request, hasUuidNames: true }, () => "u"),
    planCluster({ ...request, folder: "/other/lab" }),
  ]);
  assert.notEqual(one.bridge, other.bridge);
  assert.equal(one.machines[0]?.name, "machine-u");
});

Deno.test("planCluster refuses subnets that are none, or too small", async () => {
  const problem = async (change: Partial<typeof request>) => {
    try {
      await planCluster({ ...request, ...change });
      return "";
    } catch (error) {
      return error instanceof Error ? error.message : "";
    }
  };
  assert.equal(
    await problem({ cidr: "fd00::/64" }),
    'Invalid value "fd00::/64" for --cidr: it is not an IPv4 subnet',
  );
  assert.equal(
    await problem({ cidr: "10.5.0.300/24" }),
    'Invalid value "10.5.0.300/24" for --cidr: it is not an IPv4 subnet',
  );
  assert.equal(
    await problem({ cidr: "10.5.0.0/30", workers: 3 }),
    'Invalid value "10.5.0.0/30" for --cidr: it has no room for 4 nodes',
  );
  assert.equal(
    await problem({ ipv4: false }),
    "Cannot create a network: --ipv4=false leaves no address family",
  );
});

Deno.test("addressIn counts over the ends of bytes", () => {
  assert.equal(addressIn({ cidr: "10.5.0.254/23" }, 3), "10.5.1.1");
  assert.equal(addressIn({ cidr: "fd74::/64" }, 18), "fd74::12");
});

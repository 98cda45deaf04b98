import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
import {
  etcdConsistent,
  etcdHealthy,
  etcdOnControlPlanes,
} from "../../../../workflows/checks/health/etcd_checks.ts";
import { servicesOf } from "../_site.ts";
import { healthSite, missing } from "./_health_site.ts";

/** A member by number; its peer URL names the address `c` and the number. */
const member = (id: number, isLearner = false) => ({
  id: BigInt(id),
  hostname: id > 3 ? "" : `node-${id}`,
  peerUrls: [`https://c${id}:2380`],
  isLearner,
});

const listing = (...members: readonly ReturnType<typeof member>[]) => ({
  etcdMemberList: () => ({ messages: [{ members }] }),
});

const silent = {
  etcdMemberList: () => Promise.reject(new RpcError("UNAVAILABLE", "gone")),
};

Deno.test("etcd has to be healthy on every control plane, and on no worker", async () => {
  const node = (state: string) => ({
    serviceList: () => servicesOf({ etcd: state }),
  });
  const look = (state: string) =>
    etcdHealthy.look(
      healthSite({ c1: node("Running"), c2: node(state), w: {} }),
    );
  assert.deepEqual(await look("Running"), { state: "ok" });
  assert.equal(
    missing(await look("!Running")),
    "c2: etcd is not healthy (no answer)",
  );
});

Deno.test("control planes have to list the same members", async () => {
  const look = async (...all: Parameters<typeof healthSite>[0][string][]) =>
    missing(
      await etcdConsistent.look(
        healthSite(Object.fromEntries(all.map((one, i) => [`c${i + 1}`, one]))),
      ),
    );
  const both = listing(member(1), member(2));
  assert.equal(await look(both, listing(member(2), member(1))), "ok");
  assert.equal(
    await look(both, listing(member(1), member(2, true))),
    "c2 lists the members node-1, node-2 (learner), and c1 lists node-1, node-2",
  );
  assert.equal(
    await look(silent, both, listing(member(1), member(7))),
    "c1: gone; c3 lists the members 0000000000000007, node-1, and c2 lists node-1, node-2",
  );
  assert.equal(await look(silent), "c1: gone");
});

Deno.test("members have to be on control planes", async () => {
  const look = async (node: Parameters<typeof healthSite>[0][string]) =>
    missing(await etcdOnControlPlanes.look(healthSite({ c1: node })));
  assert.equal(await look(listing(member(1))), "ok");
  assert.equal(
    await look(listing(member(1), member(2), member(4))),
    "member node-2 is at c2, which is no control plane; member 0000000000000004 is at c4, which is no control plane",
  );
  assert.equal(await look(silent), "c1: gone");
});

import assert from "node:assert/strict";
import { openKubernetes } from "../../../../workflows/kubernetes/client.ts";
import { removeClaim } from "../../../../workflows/runbooks/lock/claim.ts";
import {
  readLease,
  writeLease,
} from "../../../../workflows/runbooks/lock/lease.ts";
import { withCluster } from "../../../_cluster.ts";
import { adminAccess } from "../../../simulator/kubernetes/_access.ts";

const { signal } = new AbortController();
const sender = { by: "bob@desk", at: "2026-11-20T20:00:00.000Z" };

Deno.test("the claim of a run is removed, and no other", () =>
  withCluster({}, async (cluster) => {
    using kubernetes = openKubernetes(await adminAccess(cluster));
    assert.equal(await removeClaim(kubernetes, "a", sender, signal), false);
    await writeLease(kubernetes, {
      holder: "a @ eve@desk",
      renewedAt: Date.UTC(2026, 10, 20, 19, 30),
      durationMs: 60_000,
      claim: "a",
      claimedBy: "eve@desk",
      journals: new Map([
        ["a", { seq: 3, checksum: "00000000" }],
        ["b", { seq: 4, checksum: "00000000" }],
      ]),
      version: "",
    }, signal);
    assert.equal(await removeClaim(kubernetes, "b", sender, signal), false);
    assert.equal((await readLease(kubernetes, signal))?.claim, "a");
    assert.equal(await removeClaim(kubernetes, "a", sender, signal), true);
    const { version: _, ...left } = await readLease(kubernetes, signal) ?? {};
    assert.deepEqual(left, {
      holder: "",
      renewedAt: Date.UTC(2026, 10, 20, 19, 30),
      durationMs: 60_000,
      claim: "",
      claimedBy: "",
      journals: new Map([["b", { seq: 4, checksum: "00000000" }]]),
    });
  }));

import assert from "node:assert/strict";
import {
  type Kubernetes,
  openKubernetes,
} from "../../../../workflows/kubernetes/client.ts";
import {
  leaseMs,
  type LeaseState,
  readLease,
  writeLease,
} from "../../../../workflows/runbooks/lock/lease.ts";
import { withCluster } from "../../../_cluster.ts";
import { adminAccess } from "../../../simulator/kubernetes/_access.ts";

const { signal } = new AbortController();
const url =
  "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/osctl-runbook";

function overSocket(test: (kubernetes: Kubernetes) => Promise<void>) {
  return withCluster({}, async (cluster) => {
    using kubernetes = openKubernetes(await adminAccess(cluster));
    await test(kubernetes);
  });
}

const first: LeaseState = {
  holder: "20261120-7k2f @ eve@desk",
  renewedAt: Date.UTC(2026, 10, 20, 19, 30, 0, 125),
  durationMs: 60_000,
  claim: "20261120-7k2f",
  claimedBy: "eve@desk",
  journals: new Map([
    ["20261120-7k2f", { seq: 37, checksum: "0a1b2c3d" }],
    ["20261119-aaaa", { seq: 5, checksum: "00000000" }],
  ]),
  version: "",
};

Deno.test("there is no Lease before the first one is written", () =>
  overSocket(async (kubernetes) => {
    assert.equal(await readLease(kubernetes, signal), undefined);
  }));

Deno.test("a Lease is read as it was written, with its version", () =>
  overSocket(async (kubernetes) => {
    await writeLease(kubernetes, first, signal);
    const read = await readLease(kubernetes, signal);
    assert.match(read?.version ?? "", /^\d+$/);
    assert.deepEqual(read, { ...first, version: read?.version });
  }));

Deno.test("a Lease is one as Kubernetes has them", () =>
  overSocket(async (kubernetes) => {
    await writeLease(kubernetes, first, signal);
    const { metadata, spec } = await kubernetes.request(url, { signal });
    assert.equal(leaseMs, 60_000);
    assert.deepEqual(spec, {
      holderIdentity: "20261120-7k2f @ eve@desk",
      leaseDurationSeconds: 60,
      renewTime: "2026-11-20T19:30:00.125000Z",
    });
    assert.deepEqual(metadata?.annotations, {
      "osctl.dev/claim": "20261120-7k2f",
      "osctl.dev/claimed-by": "eve@desk",
      "osctl.dev/journals":
        "20261120-7k2f:37:0a1b2c3d 20261119-aaaa:5:00000000",
    });
  }));

Deno.test("a Lease is written over the version that was read, and over no other", () =>
  overSocket(async (kubernetes) => {
    await writeLease(kubernetes, first, signal);
    const known = await readLease(kubernetes, signal);
    assert.ok(known);
    await writeLease(kubernetes, { ...known, holder: "" }, signal);
    assert.equal((await readLease(kubernetes, signal))?.holder, "");
    const conflict = { name: "KubernetesError", code: 409 };
    await assert.rejects(writeLease(kubernetes, known, signal), conflict);
    await assert.rejects(writeLease(kubernetes, first, signal), conflict);
    assert.equal((await readLease(kubernetes, signal))?.holder, "");
  }));

Deno.test("a Lease that says nothing has no holder", () =>
  overSocket(async (kubernetes) => {
    await kubernetes.request(url.slice(0, url.lastIndexOf("/")), {
      method: "POST",
      body: { metadata: { name: "osctl-runbook" }, spec: { renewTime: "?" } },
      signal,
    });
    const read = await readLease(kubernetes, signal);
    assert.deepEqual({ ...read, version: "" }, {
      holder: "",
      renewedAt: 0,
      durationMs: 60_000,
      claim: "",
      claimedBy: "",
      journals: new Map(),
      version: "",
    });
  }));

Deno.test("lease: other answers of the API server are errors", () =>
  withCluster({}, async (cluster) => {
    using kubernetes = openKubernetes(await adminAccess(cluster));
    await cluster.stop();
    const away = { name: "KubernetesError", code: 0 };
    await assert.rejects(readLease(kubernetes, signal), away);
    await assert.rejects(writeLease(kubernetes, first, signal), away);
  }));

Deno.test("a Lease that lasts another time says so, and remembers the journals of 32 runs", () =>
  overSocket(async (kubernetes) => {
    const journals = new Map(
      Array.from({ length: 40 }, (_, index) => [
        `20261120-${index}`,
        { seq: index, checksum: "00000000" },
      ]),
    );
    const other = { ...first, durationMs: 3_000, journals };
    await writeLease(kubernetes, other, signal);
    const read = await readLease(kubernetes, signal);
    assert.equal(read?.durationMs, 3_000);
    assert.equal(read.journals.size, 32);
    assert.deepEqual([...read.journals.keys()].at(-1), "20261120-31");
  }));

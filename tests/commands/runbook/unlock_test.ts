import assert from "node:assert/strict";
import { readRun } from "../../../workflows/runbooks/store/run_folder.ts";
import {
  holdRun,
  makeRun,
  started,
} from "../../workflows/runbooks/store/_runs.ts";
import { type Wire, withWire } from "../../_wire.ts";

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const id = "20261120-7k2f";

/** Writes a Lease, past the network. */
function claim(
  { cluster }: Wire,
  agedMs: number,
  run = id,
  host = "desk",
): void {
  const { kubernetes } = cluster;
  kubernetes.request({ method: "DELETE", path: `${leases}/osctl-runbook` });
  kubernetes.request({
    method: "POST",
    path: leases,
    body: {
      metadata: {
        name: "osctl-runbook",
        annotations: {
          "osctl.dev/claim": run,
          "osctl.dev/claimed-by": "eve@desk",
        },
      },
      spec: {
        holderIdentity: `${run} @ eve@${host} # 7 noon secret`,
        renewTime: new Date(Date.now() - agedMs).toISOString(),
      },
    },
  });
}

// Responses have any shape.
// deno-lint-ignore no-explicit-any
function lease({ cluster }: Wire): any {
  const path = `${leases}/osctl-runbook`;
  return cluster.kubernetes.request({ method: "GET", path }).body;
}

function findHome({ osconfig }: Wire): string {
  return osconfig.slice(0, osconfig.lastIndexOf("/"));
}

async function unlock(wire: Wire, ...words: string[]) {
  const line = ["runbook", "unlock", ...words];
  return await wire.osctl(line, { env: { USER: "bob" } });
}

Deno.test("runbook unlock tells who has a claim of another machine, and removes it when its id was typed", () =>
  withWire({}, async (wire) => {
    const why = ["--reason", "gone"];
    const none = await unlock(wire, ...why);
    assert.equal(none.out, "the cluster is not locked\n");
    claim(wire, 30_000);
    const fresh = await unlock(wire, ...why, "--typed", id);
    assert.equal(fresh.status, 8);
    assert.match(
      fresh.err,
      /^error: A process of eve@desk is running run "20261120-7k2f"\nhint: If that process no longer runs, wait \d+s and try again$/m,
    );
    claim(wire, 7_200_000);
    const silent = await unlock(wire, ...why);
    assert.equal(silent.status, 5);
    assert.match(
      silent.err,
      /^run 20261120-7k2f of eve@desk has locked the cluster, renewed 2h0m0s ago$/m,
    );
    const other = await unlock(wire, "20261120-aaaa", ...why);
    assert.equal(other.status, 2);
    assert.equal(
      lease(wire).metadata.annotations["osctl.dev/claim"],
      "20261120-7k2f",
    );
    const typed = await unlock(wire, ...why, "--typed", id);
    assert.equal(typed.status, 0, typed.err);
    assert.equal(typed.out, "the lock of run 20261120-7k2f is removed\n");
    const { metadata: { annotations }, spec } = lease(wire);
    assert.equal(spec.holderIdentity, "");
    assert.equal(annotations["osctl.dev/claim"], "");
    assert.match(
      annotations["osctl.dev/claim-removed"],
      /^20261120-7k2f by bob@.* at 20.*Z: gone$/,
    );
  }));

Deno.test("runbook unlock knows the runs of its own machine", () =>
  withWire({}, async (wire) => {
    const runs = `${findHome(wire)}/runs`;
    const why = ["--reason", "gone", "-o", "json"];
    const folder = await makeRun(runs, {
      records: [started, {
        type: "enter",
        path: "workers",
        node: "w-1",
        entry: 1,
      }],
    });
    // Another machine may have a copy, and resume it.
    claim(wire, 1_000);
    const elsewhere = await unlock(wire, ...why);
    assert.equal(elsewhere.status, 8);
    assert.match(
      elsewhere.err,
      /A process of eve@desk is running run "20261120-7k2f"\n/,
    );
    claim(wire, 1_000, id, Deno.hostname());
    {
      using _ = await holdRun(folder);
      const held = await unlock(wire, ...why);
      assert.equal(held.status, 8);
      assert.match(
        held.err,
        /^error: Run "20261120-7k2f" is running in a process of this machine$/m,
      );
    }
    // Its process is gone, so that nothing has to be waited for.
    const open = await unlock(wire, ...why);
    assert.equal(open.status, 5);
    assert.match(open.err, /^interrupted in the middle of its steps: w-1$/m);
    await makeRun(runs, {
      id: "20261121-aaaa",
      records: [started, {
        type: "run.end",
        data: { state: "succeeded", status: 0 },
      }],
    });
    claim(wire, 1_000, "20261121-aaaa", Deno.hostname());
    const over = await unlock(wire, ...why);
    assert.equal(over.status, 0, over.err);
    const { run, claimedBy, removed } = JSON.parse(over.out);
    assert.deepEqual(
      [run, claimedBy, removed],
      ["20261121-aaaa", "eve@desk", true],
    );
    const { history } = await readRun(runs, "20261121-aaaa");
    assert.deepEqual(
      [history.lease?.state, history.lease?.reason],
      ["removed", "gone"],
    );
  }));

Deno.test("runbook abort removes the claim of the run it gives up", () =>
  withWire({}, async (wire) => {
    const { osctl, cluster } = wire;
    const runs = `${findHome(wire)}/runs`;
    await makeRun(runs, {
      records: [started, { type: "lease", data: { state: "taken" } }],
      context: cluster.name,
    });
    claim(wire, 1_000);
    const { out, err, status } = await osctl([
      "runbook",
      "abort",
      id,
      "--reason",
      "x",
      "--typed",
      id,
      "-o",
      "json",
    ]);
    assert.equal(status, 0, err);
    assert.equal(JSON.parse(out).claim, "removed");
    assert.equal(lease(wire).metadata.annotations["osctl.dev/claim"], "");
    const { history } = await readRun(runs, id);
    assert.equal(history.lease?.state, "removed");
  }));

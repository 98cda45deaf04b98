import assert from "node:assert/strict";
import { setFault } from "../../simulator/faults/set_fault.ts";
import { stopService } from "../../simulator/node/system_services.ts";
import { type Wire, withWire } from "../_wire.ts";

/** Rows of a command line that looks from here, as state by check, and how it ended. */
async function health({ osctl }: Wire, line: string) {
  const { out, err, status } = await osctl(`health ${line} -o jsonl`);
  const rows = out.trim().split("\n").filter((row) => row !== "")
    .map((row) => JSON.parse(row));
  const failed = rows.find(({ state }) => state === "failed");
  return { rows, failed, err, status };
}

const here = "--server=false";

async function failAt(check: string, wire: Wire, line: string) {
  const short = await health(wire, `${line} --wait-timeout 2500ms`);
  const { failed } = short;
  return failed?.check === check && failed.reason !== "no result yet"
    ? short
    : await health(wire, `${line} --wait-timeout 30s`);
}

Deno.test("health finds a healthy cluster healthy, from here and by a node", async () => {
  await withWire({ controlplanes: 3, workers: 1 }, async (wire) => {
    for (const line of [here, "--nodes 10.5.0.2"]) {
      const { rows, status, err } = await health(wire, line);
      assert.equal(status, 0, err);
      assert.deepEqual(
        rows.map(({ state }) => state),
        // The node itself checks no alarms.
        Array(line === here ? 17 : 16).fill("ok"),
        line,
      );
    }
    const named = await health(
      wire,
      `${here} --control-plane-nodes 10.5.0.2,10.5.0.3,10.5.0.4 --worker-nodes 10.5.0.5`,
    );
    assert.equal(named.status, 0, named.err);
  });
});

Deno.test("health misses a node that is down, and one that is not named", async () => {
  await withWire({ controlplanes: 1, workers: 2 }, async (wire) => {
    const { cluster: { nodes } } = wire;
    const short = await failAt(
      "all k8s nodes to report",
      wire,
      `${here} --control-plane-nodes 10.5.0.2 --worker-nodes 10.5.0.3`,
    );
    assert.equal(short.status, 4);
    assert.deepEqual(
      [short.failed?.check, short.failed?.reason],
      [
        "all k8s nodes to report",
        "simulated-worker-2 is in Kubernetes and not expected",
      ],
    );
    await setFault(nodes[2]!, "unavailable");
    const check = "apid to be ready";
    for (const line of [here, "--nodes 10.5.0.2"]) {
      const { failed, rows, err, status } = await failAt(check, wire, line);
      assert.equal(status, 4, err);
      assert.equal(failed?.check, check);
      assert.match(failed?.reason, /10\.5\.0\.4/);
      assert.match(err, /waiting for apid to be ready: /);
      assert.match(err, /error: Timed out after [\d.]+ s waiting for apid/);
      assert.equal(
        rows.some(({ state }) => state === "waiting"),
        line === here,
      );
    }
  });
});

Deno.test("health finds an etcd alarm, from here and by a node, and names its cure", async () => {
  await withWire({ controlplanes: 3 }, async (wire) => {
    await setFault(wire.cluster.nodes[1]!, "etcd-nospace");
    for (const line of [here, "--nodes 10.5.0.2"]) {
      const { rows, status } = await health(wire, line);
      assert.equal(status, 1);
      const reason =
        "etcd has the alarm NOSPACE; run osctl etcd defrag and osctl etcd alarm disarm";
      assert.deepEqual(
        [rows[0]?.check, rows[0]?.state, rows[0]?.reason],
        ["etcd to have no alarms", "failed", reason],
      );
    }
  });
});

Deno.test("health misses an etcd that has stopped", async () => {
  await withWire({ controlplanes: 3 }, async (wire) => {
    await setFault(wire.cluster.nodes[1]!, "etcd-stopped");
    const check = "etcd to be healthy";
    for (const line of [here, "--nodes 10.5.0.2"]) {
      const { failed, status } = await failAt(check, wire, line);
      assert.equal(status, 4);
      assert.equal(failed?.check, check);
      assert.match(failed?.reason, /^10\.5\.0\.3: .*etcd/);
    }
  });
});

Deno.test("health misses a kubelet that does not run", async () => {
  await withWire({ workers: 1 }, async (wire) => {
    stopService(wire.cluster.nodes[1]!, "kubelet");
    const check = "kubelet to be healthy";
    const { failed, status } = await failAt(check, wire, here);
    assert.equal(status, 4);
    assert.equal(failed?.check, check);
    assert.match(failed?.reason, /^10\.5\.0\.3: kubelet is /);
  });
});

Deno.test("health misses an API that does not answer", async () => {
  await withWire({}, async (wire) => {
    const check = "all k8s nodes to report";
    const { failed, status } = await failAt(
      check,
      wire,
      `${here} --k8s-endpoint 127.0.0.1:1`,
    );
    assert.equal(status, 4);
    assert.equal(failed?.check, check);
    assert.match(
      failed?.reason,
      /^Cannot reach Kubernetes at https:\/\/127\.0\.0\.1:1: /,
    );
  });
});

Deno.test("health misses nodes that are closed for pods, until they are open", async () => {
  await withWire({ workers: 1 }, async (wire) => {
    const { kubernetes } = wire.cluster;
    const path = "/api/v1/nodes/simulated-worker-1";
    const body = { spec: { unschedulable: true } };
    kubernetes.request({ method: "PATCH", path, body });
    const check = "all k8s nodes to report schedulable";
    for (const line of [here, "--nodes 10.5.0.2"]) {
      const { failed, status } = await failAt(check, wire, line);
      assert.equal(status, 4);
      assert.equal(failed?.check, check);
      assert.match(failed?.reason, /simulated-worker-1/);
    }
  });
});

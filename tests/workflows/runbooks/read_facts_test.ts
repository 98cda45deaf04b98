import assert from "node:assert/strict";
import { CancelledError, OsctlError } from "../../../errors.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import {
  readAgain,
  readFacts,
} from "../../../workflows/runbooks/read_facts.ts";
import { withView } from "../_view.ts";

const schematic =
  "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";

Deno.test("readFacts reports the cluster and every node, one that is down included", async () => {
  await withView({ controlplanes: 3, workers: 1 }, async (viewed) => {
    await setFault(viewed.running.nodes[3]!, "unavailable");
    const { cluster, nodes } = await readFacts(viewed);
    assert.deepEqual(
      { ...cluster, id: cluster.id.length > 0 },
      {
        id: true,
        name: "simulated",
        endpoint: "https://10.5.0.2:6443",
        versions: ["v1.12.11"],
      },
    );
    assert.deepEqual(
      nodes.map(({ name, role, reachable, etcd }) => [
        name,
        role,
        reachable,
        etcd.member,
        etcd.voters,
      ]),
      [
        ["simulated-controlplane-1", "controlplane", true, true, 3],
        ["simulated-controlplane-2", "controlplane", true, true, 3],
        ["simulated-controlplane-3", "controlplane", true, true, 3],
        ["simulated-worker-1", "worker", false, false, 0],
      ],
    );
    assert.equal(nodes.filter(({ etcd }) => etcd.leader).length, 1);
    const [first] = nodes;
    assert.deepEqual(
      { ...first, etcd: undefined, bootId: first?.bootId.length },
      {
        name: "simulated-controlplane-1",
        address: "10.5.0.2",
        role: "controlplane",
        reachable: true,
        ready: true,
        stage: "running",
        version: "v1.12.11",
        schematic,
        customized: false,
        image: "ghcr.io/siderolabs/installer:v1.12.11",
        bootId: 36,
        bootloader: "systemd-boot",
        platform: "metal",
        secureBoot: false,
        kubernetesVersion: "v1.34.1",
        zone: "",
        labels: {
          "kubernetes.io/arch": "amd64",
          "kubernetes.io/hostname": "simulated-controlplane-1",
          "kubernetes.io/os": "linux",
          "node-role.kubernetes.io/control-plane": "",
          "node.kubernetes.io/exclude-from-external-load-balancers": "",
        },
        caps: { lifecycle: false },
        etcd: undefined,
      },
    );
  });
});

Deno.test("a connection that breaks does not make a node unreachable, one that does so again does", async () => {
  for (const calls of [1, 2]) {
    await withView({ controlplanes: 1, workers: 1 }, async (viewed) => {
      const [, worker] = viewed.running.nodes;
      await setFault(worker!, "request-lost", { method: "Version", calls });
      const { nodes } = await readFacts(viewed);
      assert.equal(nodes[1]?.reachable, calls === 1);
    });
  }
});

Deno.test("readAgain reads the nodes it is given, and leaves their labels as they were", async () => {
  await withView({ workers: 2 }, async (viewed) => {
    const { nodes } = await readFacts(viewed);
    const away = () => Promise.reject(new OsctlError("away"));
    const cluster = { ...viewed.cluster, kubernetes: away };
    const before = [nodes[2]!, nodes[0]!].map((one) => ({
      ...one,
      bootId: "another",
      labels: { kept: "yes" },
    }));
    const again = await readAgain({ ...viewed, cluster }, before);
    assert.deepEqual(
      again.map(({ name, bootId, labels, etcd }) => [
        name,
        bootId === "another",
        labels,
        etcd.member,
      ]),
      [
        ["simulated-worker-2", false, { kept: "yes" }, false],
        ["simulated-controlplane-1", false, { kept: "yes" }, true],
      ],
    );
  });
});

Deno.test("readFacts ends when the caller no longer waits, and does not hide programming errors", async () => {
  await withView({}, async (viewed) => {
    const stop = new AbortController();
    const reading = readFacts({
      ...viewed,
      signal: stop.signal,
      cluster: {
        ...viewed.cluster,
        kubernetes: () => new Promise<never>(() => {}),
      },
    });
    stop.abort(new CancelledError());
    await assert.rejects(reading, { name: "CancelledError" });
    const broken = () => Promise.reject(new TypeError("a bug"));
    await assert.rejects(
      readFacts({
        ...viewed,
        cluster: { ...viewed.cluster, readEtcd: broken },
      }),
      { name: "TypeError" },
    );
  });
});

Deno.test("readFacts refuses a cluster whose workers are unknown", async () => {
  await withView({ controlplanes: 2, workers: 1 }, async (viewed) => {
    for (const node of viewed.running.nodes) {
      await setFault(node, "discovery-down");
    }
    await assert.rejects(readFacts(viewed), {
      name: "OsctlError",
      message:
        "The workers of the cluster are unknown: discovery is off or does not work",
    });
  });
});

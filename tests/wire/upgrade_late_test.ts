import assert from "node:assert/strict";
import { pause } from "../../lib/pause.ts";
import { type Wire, withWire } from "../_wire.ts";

/** Installers that leave time for something to happen meanwhile. */
const pace = { bootMs: 200, stopMs: 50, downMs: 200, installMs: 2_500 };
const release = { tag: "v1.13.0" };

/** Waits until an installer is running on a node. */
async function installing({ cluster }: Wire, place: number): Promise<void> {
  const node = cluster.nodes[place] ?? assert.fail();
  while (node.boot.installer === undefined) await pause(20);
}

function kubernetesNode({ cluster }: Wire, name: string): {
  readonly spec: { readonly unschedulable?: boolean };
} {
  const path = `/api/v1/nodes/${name}`;
  const { body } = cluster.kubernetes.request({ method: "GET", path });
  return body as ReturnType<typeof kubernetesNode>; // a node
}

Deno.test("a control plane whose etcd cannot be spared any more when all is installed is not rebooted", async () => {
  const options = { controlplanes: 3, workers: 1, pace, release };
  await withWire(options, async (wire) => {
    const { osctl, cluster, names } = wire;
    const [first, , third] = cluster.nodes;
    assert.ok(first && third);
    const { boots, installs } = first.counts;
    const line = `upgrade --to v1.13.1 -n ${names[0]} -o jsonl`;
    const running = osctl(`${line} --timeout 9s`);
    await installing(wire, 0);
    await cluster.setFault(names[2] ?? "", "etcd-stopped");
    const ran = await running;
    assert.match(
      JSON.parse(ran.out).error.message,
      /^refused: .*quorum 2; without this one 1.*\(S1.*; v1\.13\.1 is installed; the next boot starts it; simulated-controlplane-1 is uncordoned$/,
    );
    assert.equal(ran.status, 5, ran.err);
    assert.equal(first.counts.boots, boots);
    assert.equal(
      kubernetesNode(wire, "simulated-controlplane-1").spec.unschedulable,
      undefined,
    );
    await cluster.setFault(names[2] ?? "", "etcd-stopped", false);
    const again = await osctl(line);
    assert.equal(JSON.parse(again.out).outcome, "done", again.err);
    assert.equal(first.counts.boots - boots, 1);
    assert.equal(first.counts.installs - installs, 1);
  });
});

Deno.test("an upgrade that is resumed while Kubernetes is down waits for it, and ends with what can be done", async () => {
  await withWire({ workers: 2, pace, release }, async (wire) => {
    const { osctl, cluster, names } = wire;
    const worker = cluster.nodes[1] ?? assert.fail();
    const { boots, installs } = worker.counts;
    const line = `upgrade --to v1.13.1 --timeout 2s -n ${names[1]}`;
    const ran = await osctl(line);
    assert.equal(ran.status, 4, ran.err);
    await cluster.setFault(names[0] ?? "", "kubernetes-unavailable");
    const [, id] = /operation resume (\S+)/.exec(ran.err) ?? [];
    const resume = `operation resume ${id} -o jsonl`;
    const late = await osctl(`${resume} --timeout 14s`);
    assert.match(
      JSON.parse(late.out).error.message,
      /^timed-out: the node could not be drained; Cannot reach Kubernetes at \S+: .* \(resume it when Kubernetes answers, or keep the pods running with --drain=false\)$/,
    );
    assert.equal(late.status, 4, late.err);
    assert.match(late.err, new RegExp(`^Resume with: .* resume ${id}$`, "m"));
    const running = osctl(resume);
    await pause(1_000);
    await cluster.setFault(
      names[0] ?? "",
      "kubernetes-unavailable",
      false,
    );
    const ended = await running;
    assert.equal(
      JSON.parse(ended.out).reason,
      "ready, v1.13.1; simulated-worker-1 is uncordoned",
      ended.err,
    );
    assert.equal(worker.counts.boots - boots, 1);
    assert.equal(worker.counts.installs - installs, 1);
  });
});

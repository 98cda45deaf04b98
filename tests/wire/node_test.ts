import assert from "node:assert/strict";
import { pause } from "../../lib/pause.ts";
import { CancelledError } from "../../errors.ts";
import { type Wire, withWire } from "../_wire.ts";

// Responses have any shape.
// deno-lint-ignore no-explicit-any
type Json = any;

const pods = "/api/v1/namespaces/default/pods";
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const owner = "osctl.dev/cordoned-by";

/** Asks the simulated Kubernetes, past the network. */
function ask({ cluster }: Wire, line: string, body?: unknown): Json {
  const [method = "", path = ""] = line.split(" ");
  return cluster.kubernetes.request({ method, path, body }).body;
}

/** The first worker in Kubernetes. */
function first(wire: Wire): Json {
  return ask(wire, "GET /api/v1/nodes/simulated-worker-1");
}

function withWorkers(
  workers: number,
  test: (wire: Wire, one: string) => Promise<void>,
): Promise<void> {
  return withWire(
    { workers },
    (wire) => test(wire, wire.names[1] ?? ""),
  );
}

/** A deployment of pods, all on the first worker to begin with. */
async function deploy(wire: Wire, replicas: number): Promise<void> {
  const close = (unschedulable: true | null) =>
    ask(wire, "PATCH /api/v1/nodes/simulated-worker-2", {
      spec: { unschedulable },
    });
  close(true);
  const labels = { app: "web" };
  ask(wire, "POST /apis/apps/v1/namespaces/default/deployments", {
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: {} },
    },
  });
  while (webPods(wire).some(({ status }) => status.phase !== "Running")) {
    await pause(10);
  }
  close(null);
}

function webPods(wire: Wire): readonly Json[] {
  return ask(wire, `GET ${pods}?labelSelector=app%3Dweb`).items;
}

function protect(wire: Wire, minAvailable: number): void {
  const selector = { matchLabels: { app: "web" } };
  ask(wire, `POST ${budgets}`, {
    metadata: { name: "web" },
    spec: { minAvailable, selector },
  });
}

Deno.test("node cordon closes a node and says who did; doing it again is nothing to do", async () => {
  await withWorkers(1, async (wire, one) => {
    const ran = await wire.osctl(`node cordon --nodes ${one}`);
    assert.equal(
      ran.out,
      "NODE       OUTCOME   REASON\n" +
        "10.5.0.3   done      simulated-worker-1 is cordoned\n",
    );
    assert.equal(ran.status, 0);
    assert.equal(first(wire).spec.unschedulable, true);
    assert.equal(first(wire).metadata.annotations[owner], "node cordon");
    const again = await wire.osctl(`node cordon --nodes ${one} -o jsonl`);
    assert.deepEqual(JSON.parse(again.out), {
      node: "10.5.0.3",
      outcome: "unchanged",
      reason:
        "nothing to do: simulated-worker-1 is already cordoned by node cordon",
    });
    assert.equal(again.status, 0);
  });
});

Deno.test("node cordon leaves a node that another user closed as it is, and node uncordon needs --force for it", async () => {
  await withWorkers(1, async (wire, one) => {
    ask(wire, "PATCH /api/v1/nodes/simulated-worker-1", {
      spec: { unschedulable: true },
    });
    const ran = await wire.osctl(`node cordon --nodes ${one}`);
    assert.match(
      ran.out,
      /unchanged +simulated-worker-1 was already cordoned by another user or process; nothing to do/,
    );
    assert.equal(first(wire).metadata.annotations[owner], undefined);
    const ours = await wire.osctl(`node uncordon --only ours --nodes ${one}`);
    assert.match(
      ours.out,
      /unchanged +simulated-worker-1 stays cordoned: another user or process cordoned it/,
    );
    assert.equal(ours.status, 0);
    const refused = await wire.osctl(`node uncordon --nodes ${one}`);
    assert.match(
      refused.err,
      /error: \S+ \(10\.5\.0\.3\): refused: Node simulated-worker-1 was cordoned by another user or process\nhint: Uncordon it anyway with --force/,
    );
    assert.equal(refused.status, 5);
    assert.equal(first(wire).spec.unschedulable, true);
    const forced = await wire.osctl(`node uncordon --force --nodes ${one}`);
    assert.match(forced.out, /done +simulated-worker-1 is uncordoned/);
    assert.equal(first(wire).spec.unschedulable, undefined);
  });
});

Deno.test("node uncordon opens what node cordon closed, and forgets who it was", async () => {
  await withWorkers(1, async (wire, one) => {
    await wire.osctl(`node cordon --nodes ${one}`);
    const ran = await wire.osctl(`node uncordon --nodes ${one}`);
    assert.equal(ran.status, 0, ran.err);
    assert.equal(first(wire).spec.unschedulable, undefined);
    assert.deepEqual(first(wire).metadata.annotations, {});
    const again = await wire.osctl(`node uncordon --nodes ${one}`);
    assert.match(again.out, /unchanged +nothing to do/);
  });
});

Deno.test("node cordon closes a node that is down, too", async () => {
  await withWorkers(2, async (wire, one) => {
    await wire.cluster.setFault(one, "unavailable");
    const ran = await wire.osctl("node cordon --nodes @all -o jsonl");
    assert.equal(ran.status, 0, ran.err);
    assert.equal(ran.out.trim().split("\n").length, 3);
    assert.equal(first(wire).spec.unschedulable, true);
  });
});

Deno.test("node drain moves pods off a node and leaves it closed", async () => {
  await withWorkers(2, async (wire, one) => {
    await deploy(wire, 2);
    const ran = await wire.osctl(`node drain --nodes ${one} -o jsonl`);
    assert.equal(ran.status, 0, ran.err);
    const { outcome, reason } = JSON.parse(ran.out);
    assert.equal(outcome, "done");
    assert.match(reason, /^[234] pods moved, 2 stay on the node$/);
    assert.equal(first(wire).spec.unschedulable, true);
    assert.equal(first(wire).metadata.annotations[owner], "node drain");
    assert.deepEqual(
      webPods(wire).map(({ spec }) => spec.nodeName),
      ["simulated-worker-2", "simulated-worker-2"],
    );
    const again = await wire.osctl(`node drain --nodes ${one}`);
    assert.match(
      again.out,
      /unchanged +nothing to do: simulated-worker-1 is cordoned and has no pods to evict/,
    );
  });
});

Deno.test("node drain asks a disruption budget again until it lets all pods go", async () => {
  await withWorkers(2, async (wire, one) => {
    await deploy(wire, 3);
    protect(wire, 2);
    const ran = await wire.osctl(`node drain --nodes ${one}`);
    assert.equal(ran.status, 0, ran.err);
    assert.match(
      ran.err,
      /10\.5\.0\.3: .*default\/web-\S+: Cannot evict pod as it would violate the pod's disruption budget\. The disruption budget web needs 2 healthy pods and has 2 currently/,
    );
    for (const { spec } of webPods(wire)) {
      assert.equal(spec.nodeName, "simulated-worker-2");
    }
  });
});

Deno.test("node drain names what a budget holds back when the time is up, and opens the node again", async () => {
  await withWorkers(2, async (wire, one) => {
    await deploy(wire, 1);
    protect(wire, 1);
    const ran = await wire.osctl(`node drain --timeout 5s --nodes ${one}`);
    assert.equal(ran.status, 4, ran.err);
    assert.match(
      ran.err,
      /error: \S+ \(10\.5\.0\.3\): timed-out: left: default\/web-\S+: Cannot evict pod .*; simulated-worker-1 is uncordoned/,
    );
    // The node itself was asked for nothing, and has nothing to say about it.
    assert.doesNotMatch(ran.err, /10\.5\.0\.3: (kernel|machined): /);
    assert.equal(first(wire).spec.unschedulable, undefined);
  });
});

Deno.test("node drain that fails leaves a node closed that was so before, or with --keep-cordon", async () => {
  await withWorkers(2, async (wire, one) => {
    await deploy(wire, 1);
    await wire.cluster.setFault(one, "pdb-blocks");
    const line = `node drain --timeout 4s --nodes ${one}`;
    const kept = await wire.osctl(`${line} --keep-cordon`);
    assert.equal(kept.status, 4, kept.err);
    assert.equal(first(wire).spec.unschedulable, true);
    const again = await wire.osctl(line);
    assert.equal(again.status, 4, again.err);
    assert.equal(first(wire).spec.unschedulable, true);
    await wire.cluster.setFault(one, "pdb-blocks", false);
    const drained = await wire.osctl(`node drain --nodes ${one}`);
    assert.equal(drained.status, 0, drained.err);
  });
});

Deno.test("node drain that is interrupted opens the node again", async () => {
  await withWorkers(2, async (wire, one) => {
    await deploy(wire, 1);
    await wire.cluster.setFault(one, "pdb-blocks");
    const stop = new AbortController();
    const running = wire.osctl(`node drain --nodes ${one}`, {
      signal: stop.signal,
    });
    while (first(wire).spec.unschedulable !== true) await pause(10);
    stop.abort(new CancelledError());
    assert.equal((await running).status, 130);
    assert.equal(first(wire).spec.unschedulable, undefined);
  });
});

Deno.test("node drain refuses pods that would be lost, by name, and touches nothing", async () => {
  await withWorkers(2, async (wire, one) => {
    const nodeName = "simulated-worker-1";
    ask(wire, `POST ${pods}`, {
      metadata: { name: "alone" },
      spec: { nodeName },
    });
    const ran = await wire.osctl(`node drain --nodes ${one}`);
    assert.equal(ran.status, 5);
    assert.match(
      ran.err,
      /error: \S+ \(10\.5\.0\.3\): refused: Cannot evict pods: default\/alone: no controller recreates it \(--force\)/,
    );
    assert.equal(first(wire).spec.unschedulable, undefined);
    const volumes = [{ name: "data", emptyDir: {} }];
    ask(wire, `PATCH ${pods}/alone`, { spec: { volumes } });
    const data = await wire.osctl(`node drain --force --nodes ${one}`);
    assert.equal(data.status, 5);
    assert.match(
      data.err,
      /default\/alone: it has local data \(--delete-emptydir-data\)/,
    );
    const both = await wire.osctl(
      `node drain --force --delete-emptydir-data --nodes ${one}`,
    );
    assert.equal(both.status, 0, both.err);
    assert.equal(ask(wire, `GET ${pods}/alone`).code, 404);
  });
});

Deno.test("node drain has nothing to do where pods could go nowhere else", async () => {
  await withWorkers(1, async (wire, one) => {
    ask(wire, "PATCH /api/v1/nodes/simulated-controlplane-1", {
      spec: { unschedulable: true },
    });
    const ran = await wire.osctl(`node drain --nodes ${one}`);
    assert.match(
      ran.out,
      /unchanged +nothing to do: there is no node other than simulated-worker-1 for its pods/,
    );
    assert.equal(ran.status, 0);
    assert.equal(first(wire).spec.unschedulable, undefined);
  });
});

Deno.test("node drain of three nodes shows the two that went well when the third is down", async () => {
  await withWire({ workers: 4 }, async (wire) => {
    const three = wire.names.slice(1, 4);
    const name = "simulated-worker-1";
    ask(wire, `POST ${pods}`, {
      metadata: { name: "stuck" },
      spec: { nodeName: name },
    });
    await wire.cluster.setFault(three[0] ?? "", "unavailable");
    const ran = await wire.osctl(
      `node drain --force --timeout 8s --max-unavailable 3 --nodes ${
        three.join(",")
      } -o jsonl`,
    );
    assert.equal(ran.status, 3, ran.err);
    const rows = ran.out.trim().split("\n").map((row) => JSON.parse(row));
    assert.deepEqual(
      rows.filter(({ error }) => !error).map(({ node, outcome }) => [
        node,
        outcome,
      ]).sort(),
      [["10.5.0.4", "done"], ["10.5.0.5", "done"]],
    );
    assert.match(
      ran.err,
      /error: \S+ \(10\.5\.0\.3\): timed-out: left: .*default\/stuck: it is stopping/,
    );
    assert.equal(first(wire).spec.unschedulable, undefined);
  });
});

Deno.test("without an API server the commands fail and say where they looked", async () => {
  await withWorkers(1, async (wire, one) => {
    const [controlPlane = ""] = wire.names;
    await wire.cluster.setFault(controlPlane, "kubernetes-unavailable");
    for (const name of ["cordon", "uncordon", "drain"]) {
      const ran = await wire.osctl(`node ${name} --timeout 8s --nodes ${one}`);
      assert.equal(ran.status, 1, ran.err);
      assert.match(
        ran.err,
        /error: \S+ \(10\.5\.0\.3\): failed: Cannot reach Kubernetes at https:\/\/127\.0\.0\.1:\d+: /,
      );
    }
  });
});

Deno.test("another control plane is asked while one is down", async () => {
  await withWire({ controlplanes: 3, workers: 1 }, async (wire) => {
    const [down = ""] = wire.names;
    await wire.cluster.setFault(down, "unavailable");
    const ran = await wire.osctl(`node cordon --nodes ${wire.names[3]}`);
    assert.equal(ran.status, 0, ran.err);
    assert.equal(first(wire).spec.unschedulable, true);
  });
});

for (
  const [line, header, row] of [
    [
      "stats -k -n 10.5.0.2",
      /^ID +MEMORY\(MB\) +CPU$/m,
      /^└─ kube-controller-manager:[0-9a-f]{12} +[\d.]+ +[\d.]+s$/m,
    ],
    [
      "containers -k -n 10.5.0.2",
      /^ID +STATUS$/m,
      /^kube-system\/kube-controller-manager-[a-z-]+-1 +SANDBOX_READY$/m,
    ],
    [
      "netstat -tlp -n 10.5.0.2",
      /^Proto +Recv-Q +Local Address +State +PID\/Program name$/m,
      /^tcp +0 +10.5.0.2:2379 +LISTEN +\d+\/etcd$/m,
    ],
    [
      "etcd status -n 10.5.0.2",
      /^NODE +HOSTNAME +ROLE +MEMBER +DB SIZE$/m,
      /^10.5.0.2 +[a-z-]+-1 +leader +[0-9a-f]{16} +\d+ kB$/m,
    ],
    [
      "cgroups --preset memory -n 10.5.0.2",
      /^NAME +MemCurrent/m,
      /^│ .*controller-manager +/m,
    ],
  ] as const
) {
  Deno.test(`${line} shows in 80 columns what it is requested`, async () => {
    await withWire({}, async ({ osctl }) => {
      const { out } = await osctl(line, {
        columns: 80,
        env: { NO_COLOR: "1" },
      });
      assert.match(out, header);
      assert.match(out, row);
      const lengths = out.split("\n").map((text) => [...text].length);
      assert.ok(Math.max(...lengths) <= 80, out);
    });
  });
}

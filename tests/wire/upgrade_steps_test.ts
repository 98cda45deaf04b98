import assert from "node:assert/strict";
import { type Wire, withWire } from "../_wire.ts";
import { pace } from "./_workers.ts";

/** Waits for what must not come take a minute each. */
export const longestSeconds = 180;

// Responses have any shape.
// deno-lint-ignore no-explicit-any
type Json = any;

const pods = "/api/v1/namespaces/default/pods";

/** A cluster whose nodes are given an installation and a reboot. */
function withNodes(
  workers: number,
  test: (wire: Young) => Promise<void>,
): Promise<void> {
  const release = { tag: "v1.13.0" };
  return withWire({ workers, pace, release }, (wire) =>
    test({
      ...wire,
      ask: (line, body) => {
        const [method = "", path = ""] = line.split(" ");
        return wire.cluster.kubernetes.request({ method, path, body }).body;
      },
      async on(nodes, line) {
        const selected = nodes.map((index) => wire.names[index]).join(",");
        const { out, err, status } = await wire.osctl(
          `${line} -n ${selected} -o jsonl`,
        );
        const rows = out.split("\n").filter((row) => row !== "")
          .map((row) => JSON.parse(row))
          .toSorted((a, b) => a.node < b.node ? -1 : 1);
        return { rows, err, status };
      },
    }));
}

interface Young extends Wire {
  /** Asks the simulated Kubernetes, past the network. */
  readonly ask: (line: string, body?: unknown) => Json;
  /** Runs a command line on nodes by their place, control planes first. */
  readonly on: (nodes: readonly number[], line: string) => Promise<{
    readonly rows: readonly Json[];
    readonly err: string;
    readonly status: number;
  }>;
}

function readNode({ ask }: Young, worker: number): Json {
  return ask(`GET /api/v1/nodes/simulated-worker-${worker}`);
}

function readTag({ cluster }: Wire, place: number): string | undefined {
  return cluster.nodes[place]?.disk.bootEntries?.running.tag;
}

/** A pod on the first worker. */
function addPod({ ask }: Young, labels: Readonly<Record<string, string>>) {
  ask(`POST ${pods}`, {
    metadata: { name: "stuck", labels },
    spec: { nodeName: "simulated-worker-1" },
  });
}

Deno.test("upgrade plan lists the drain, and what Kubernetes does not answer is a refusal", async () => {
  await withNodes(1, async ({ on, cluster, names }) => {
    const line = "upgrade plan --to v1.13.1";
    const [free] = (await on([1], line)).rows;
    assert.deepEqual([free.actions, free.refused], [
      ["drain", "install ghcr.io/siderolabs/installer:v1.13.1", "reboot"],
      null,
    ]);
    await cluster.setFault(names[0] ?? "", "kubernetes-unavailable");
    const [down] = (await on([1], line)).rows;
    assert.deepEqual(
      down.actions,
      ["install ghcr.io/siderolabs/installer:v1.13.1", "reboot"],
    );
    assert.match(down.refused, /^Cannot drain the node: /);
  });
});

Deno.test("upgrade drains new nodes, installs, reboots, and opens them again", async () => {
  await withNodes(3, async (wire) => {
    const { on, names, ask } = wire;
    addPod(wire, {});
    const closed = new Set<string>();
    const watch = setInterval(() => {
      for (const worker of [1, 2, 3]) {
        const { spec, metadata } = readNode(wire, worker);
        const by = metadata.annotations["osctl.dev/cordoned-by"];
        if (spec.unschedulable) closed.add(`${worker} ${by}`);
      }
    }, 10);
    const ran = await on([1, 2], "upgrade --to v1.13.1");
    clearInterval(watch);
    assert.equal(ran.status, 0, ran.err);
    assert.deepEqual(
      ran.rows,
      [1, 2].map((worker) => ({
        node: names[worker],
        outcome: "done",
        reason: `ready, v1.13.1; simulated-worker-${worker} is uncordoned`,
      })),
    );
    assert.deepEqual([...closed].toSorted(), ["1 upgrade", "2 upgrade"]);
    for (const worker of [1, 2]) {
      assert.equal(readNode(wire, worker).spec.unschedulable, undefined);
    }
    assert.equal(ask(`GET ${pods}/stuck`).code, 404);
    const drained = ran.err.indexOf("simulated-worker-1 is drained");
    const installing = ran.err.indexOf(`${names[1]}: installing `);
    assert.ok(drained > 0 && drained < installing, ran.err);
  });
});

Deno.test("upgrade of new nodes of which one's installer fails tells node by node, and leaves none closed", async () => {
  await withNodes(3, async (wire) => {
    const { on, names, cluster } = wire;
    await cluster.setFault(names[2] ?? "", "installer-fails", {
      method: "Upgrade",
    });
    const boots = cluster.nodes.map(({ boot: { id: bootId } }) => bootId);
    const ran = await on(
      [1, 2, 3],
      "upgrade --to v1.13.1 --max-unavailable 3",
    );
    assert.equal(ran.status, 3, ran.err);
    assert.deepEqual(
      ran.rows.map(({ node, outcome, error }) => [
        node,
        outcome ?? error.outcome ?? error.code,
      ]),
      [[names[1], "done"], [names[2], "failed"], [names[3], "done"]],
    );
    assert.match(ran.err, /The installer failed with exit status 1(?!:)/);
    assert.equal(cluster.nodes[2]?.boot.id, boots[2]);
    assert.deepEqual([1, 2, 3].map((place) => readTag(wire, place)), [
      "v1.13.1",
      "v1.13.0",
      "v1.13.1",
    ]);
    for (const worker of [1, 2, 3]) {
      assert.equal(readNode(wire, worker).spec.unschedulable, undefined);
    }
  });
});

Deno.test("upgrade of a new node that comes back with the old version says so, and opens it", async () => {
  await withNodes(2, async (wire) => {
    const { on, names, cluster } = wire;
    await cluster.setFault(names[1] ?? "", "rolled-back");
    const ran = await on([1], "upgrade --to v1.13.1");
    assert.match(
      ran.err,
      /rolled-back: the node came back with v1\.13\.0, not v1\.13\.1; simulated-worker-1 is uncordoned$/m,
    );
    assert.match(ran.err, /^\S+: machined: /m);
    assert.equal(ran.status, 1);
    assert.equal(readNode(wire, 1).spec.unschedulable, undefined);
  });
});

Deno.test("upgrade --wait=false is refused where the node is drained, and continues alone without that", async () => {
  await withNodes(2, async (wire) => {
    const { on, names, cluster } = wire;
    const refused = await on([1], "upgrade --to v1.13.1 --wait=false");
    assert.match(
      refused.err,
      /refused: Without --wait nothing would uncordon simulated-worker-1 after the drain\nhint: --wait=false needs --drain=false on nodes since v1\.13/,
    );
    assert.equal(refused.status, 5);
    assert.equal(readNode(wire, 1).spec.unschedulable, undefined);
    const ran = await on(
      [1],
      "upgrade --to v1.13.1 --wait=false --drain=false",
    );
    assert.deepEqual(ran.rows, [{
      node: names[1],
      outcome: "accepted",
      reason: "accepted by the node",
    }]);
    await cluster.settled();
    assert.equal(readTag(wire, 1), "v1.13.1");
  });
});

Deno.test("upgrade of a new node whose pods do not go in time installs nothing, and opens it", async () => {
  await withNodes(2, async (wire) => {
    const { on, cluster, ask } = wire;
    const labels = { app: "web" };
    addPod(wire, labels);
    ask("POST /apis/policy/v1/namespaces/default/poddisruptionbudgets", {
      metadata: { name: "web" },
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    });
    const bootId = cluster.nodes[1]?.boot.id;
    const ran = await on([1], "upgrade --to v1.13.1 --drain-timeout 4s");
    assert.match(
      ran.err,
      /timed-out: the node could not be drained; left: default\/stuck: Cannot evict pod .*; simulated-worker-1 is uncordoned$/m,
    );
    assert.equal(ran.status, 4);
    // It was asked for nothing, and has nothing to say.
    assert.doesNotMatch(ran.err, /^\S+: (kernel|machined): /m);
    assert.equal(cluster.nodes[1]?.boot.id, bootId);
    assert.equal(cluster.nodes[1]?.disk.bootEntries?.installed.length, 1);
    assert.equal(readNode(wire, 1).spec.unschedulable, undefined);
    // Resumed, it is drained anew.
    ask(
      "DELETE /apis/policy/v1/namespaces/default/poddisruptionbudgets/web",
    );
    const id = /osctl operation resume (\S+)/.exec(ran.err)?.[1];
    const resumed = await wire.osctl(`operation resume ${id} -o jsonl`);
    assert.equal(JSON.parse(resumed.out).outcome, "done", resumed.err);
    assert.equal(readTag(wire, 1), "v1.13.1");
    assert.equal(readNode(wire, 1).spec.unschedulable, undefined);
  });
});

Deno.test("upgrade of a new node without Kubernetes sends nothing, unless it is not drained", async () => {
  await withNodes(2, async (wire) => {
    const { on, names, cluster } = wire;
    await cluster.setFault(names[0] ?? "", "kubernetes-unavailable");
    const bootId = cluster.nodes[1]?.boot.id;
    const refused = await on([1], "upgrade --to v1.13.1");
    assert.match(
      refused.err,
      /refused: Cannot drain the node: Cannot reach Kubernetes at \S+: the connection was closed\nhint: .*--drain=false$/m,
    );
    assert.equal(refused.status, 5);
    assert.equal(cluster.nodes[1]?.boot.id, bootId);
    const ran = await on([1], "upgrade --to v1.13.1 --drain=false");
    assert.equal(ran.rows[0]?.reason, "ready, v1.13.1", ran.err);
  });
});

Deno.test("upgrade leaves a node closed that another user has closed", async () => {
  await withNodes(2, async (wire) => {
    const { on, ask } = wire;
    ask("PATCH /api/v1/nodes/simulated-worker-1", {
      spec: { unschedulable: true },
    });
    const ran = await on([1], "upgrade --to v1.13.1");
    assert.equal(
      ran.rows[0]?.reason,
      "ready, v1.13.1; simulated-worker-1 stays cordoned: another user or process cordoned it",
      ran.err,
    );
    assert.equal(readNode(wire, 1).spec.unschedulable, true);
  });
});

Deno.test("upgrade of the only worker leaves its pods where they are", async () => {
  await withNodes(1, async (wire) => {
    wire.ask("PATCH /api/v1/nodes/simulated-controlplane-1", {
      spec: { unschedulable: true },
    });
    addPod(wire, {});
    const ran = await wire.on([1], "upgrade --to v1.13.1");
    assert.equal(ran.rows[0]?.reason, "ready, v1.13.1", ran.err);
    assert.equal(wire.ask(`GET ${pods}/stuck`).metadata?.name, "stuck");
  });
});

Deno.test("upgrade install on new nodes installs beside what runs, and drains nothing", async () => {
  await withNodes(3, async (wire) => {
    const { on, names, cluster } = wire;
    addPod(wire, {});
    await cluster.setFault(names[2] ?? "", "installer-fails", {
      method: "Upgrade",
    });
    const boots = cluster.nodes.map(({ boot: { id: bootId } }) => bootId);
    const ran = await on([1, 2, 3], "upgrade install --to v1.13.1");
    assert.equal(ran.status, 3, ran.err);
    const reason = "v1.13.1 is installed; the next boot starts it";
    assert.deepEqual(
      ran.rows.flatMap((row) => row.error ? [] : [row]),
      [1, 3].map((place) => ({ node: names[place], outcome: "done", reason })),
    );
    assert.deepEqual(
      cluster.nodes.map(({ boot: { id: bootId } }) => bootId),
      boots,
    );
    assert.equal(wire.ask(`GET ${pods}/stuck`).metadata?.name, "stuck");
    // S6: the same image is there, another one is refused.
    const again = await on([1], "upgrade install --to v1.13.1");
    assert.equal(again.rows[0]?.outcome, "unchanged");
    const other = await on([1], "upgrade install --to v1.13.2");
    assert.match(other.err, /reboot first \(S6\)/);
    assert.equal(other.status, 5);
    const rebooted = await on([1], "reboot");
    assert.equal(rebooted.status, 0, rebooted.err);
    assert.equal(readTag(wire, 1), "v1.13.1");
  });
});

Deno.test("upgrade install --wait=false ends when the installer has finished", async () => {
  await withNodes(1, async (wire) => {
    const ran = await wire.on([1], "upgrade install --to v1.13.1 --wait=false");
    assert.equal(ran.rows[0]?.outcome, "accepted", ran.err);
    assert.equal(wire.cluster.nodes[1]?.disk.bootEntries?.installed.length, 2);
  });
});

Deno.test("an installation that the node refuses leaves it uncordoned, and is said to have failed", async () => {
  await withNodes(2, async (wire) => {
    const { cluster, names: [, one = ""] } = wire;
    const { boots } = cluster.nodes[1]!.counts;
    const code = "INTERNAL";
    const refused = { method: "Upgrade", calls: 1, code } as const;
    await cluster.setFault(one, "call-fails", refused);
    const { err, status } = await wire.on([1], "upgrade --to v1.13.1");
    assert.equal(readNode(wire, 1).spec.unschedulable, undefined, err);
    assert.equal(cluster.nodes[1]!.counts.boots, boots);
    assert.match(
      err,
      /failed: The installer was not started: simulated failure of the call; simulated-worker-1 is uncordoned$/m,
    );
    assert.doesNotMatch(err, /lost/);
    assert.equal(status, 1);
  });
});

Deno.test("an image without an installer leaves the node uncordoned, and the next attempt upgrades it", async () => {
  await withNodes(2, async (wire) => {
    const image = "ghcr.io/siderolabs/kubelet:v1.34.1";
    const wrong = await wire.on(
      [1],
      `upgrade -i ${image} --allow image-identity,version-path`,
    );
    assert.match(
      wrong.err,
      /failed: The installer was not started: upgrade failed: failed to start task: .*; simulated-worker-1 is uncordoned$/m,
    );
    assert.equal(wrong.status, 1);
    assert.equal(readNode(wire, 1).spec.unschedulable, undefined);
    const { err, status } = await wire.on([1], "upgrade --to v1.13.1");
    assert.equal(status, 0, err);
    assert.equal(readTag(wire, 1), "v1.13.1");
  });
});

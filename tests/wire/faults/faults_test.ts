import assert from "node:assert/strict";
import { powerCycle } from "../../../simulator/boot/power.ts";
import { decodePrivateKey, encodePkcs8 } from "../../../pki/private_key.ts";
import type { ClusterOptions } from "../../../simulator/cluster/cluster.ts";
import type {
  FaultName,
  FaultOptions,
} from "../../../simulator/state/faults.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../../../transport/gen/machine_events.ts";
import { single } from "../../../transport/call/reply.ts";
import { throughEndpoints } from "../../../transport/connect/node_route.ts";
import { counting, type Counts } from "../../_node_counts.ts";
import { type Wire, withWire } from "../../_wire.ts";

/** A command that meets faults. */
interface Trial {
  readonly name: string;
  /** Faults, by the index of the node. */
  readonly faults: readonly (readonly [number, FaultName, FaultOptions?])[];
  readonly line: string;
  /** Indexes of the nodes it is given; default the worker. */
  readonly nodes?: readonly number[];
  readonly status: number;
  /** Outcome of each node it is given. */
  readonly outcomes: readonly string[];
  readonly reason?: RegExp;
  /** Calls and boots of each node it is given. */
  readonly counts: readonly Counts[];
  readonly reported?: RegExp;
}

const once: Counts = { calls: 1, boots: 1 };
const never: Counts = { calls: 0, boots: 0 };

const reset = "reset --yes --reboot --system-labels-to-wipe EPHEMERAL";
const upgrade = "upgrade --to v1.12.2";

/** Method that does what a command says. */
const methods: Readonly<Record<string, string>> = {
  reboot: "Reboot",
  reset: "Reset",
  upgrade: "Upgrade",
  bootstrap: "Bootstrap",
};

/** Faults of a cluster with a worker: what one leaves behind is undone before the next. */
const ofOne: readonly Trial[] = [
  {
    name: "reboot is done when events fall silent behind the acknowledgement",
    faults: [[1, "stream-silence-after-ack"]],
    line: "reboot",
    status: 0,
    outcomes: ["done"],
    counts: [once],
  },
  {
    name: "reboot --debug is done when the kernel log falls silent",
    faults: [[1, "stream-silence-after-ack", { method: "Dmesg" }]],
    line: "reboot --debug",
    status: 0,
    outcomes: ["done"],
    counts: [once],
  },
  {
    name:
      "reboot --debug shows the kernel log from the first line on, and waits",
    faults: [],
    line: "reboot --debug --wait=false",
    status: 0,
    outcomes: ["done"],
    counts: [once],
    reported: /^\S+: .*reboot sequence: \d+ phase[^]*stopAllServices/m,
  },
  {
    name: "reboot tells a node that never returns when the time is up",
    faults: [[1, "never-returns"]],
    line: "reboot --timeout 3s",
    status: 4,
    outcomes: ["never-returned"],
    counts: [{ calls: 1, boots: 0 }],
  },
  {
    name: "reboot tells a node that never goes down, with its last words",
    faults: [[1, "never-reboots"]],
    line: "reboot --timeout 3s",
    status: 4,
    outcomes: ["never-rebooted"],
    reason: /stage rebooting/,
    counts: [{ calls: 1, boots: 0 }],
    reported: /^\S+: kernel: .*stopAllPods/m,
  },
  {
    name: "reboot is done once when the reply is lost",
    faults: [[1, "reply-lost", { method: "Reboot", calls: 1 }]],
    line: "reboot",
    status: 0,
    outcomes: ["done"],
    counts: [once],
    reported: /the reply was lost/,
  },
  {
    name: "reboot is done when the maintenance API answers first",
    faults: [[1, "maintenance-before-boot", { ms: 1_500 }]],
    line: "reboot",
    status: 0,
    outcomes: ["done"],
    counts: [once],
  },
  {
    name: "reboot sends nothing to a server whose certificate has expired",
    faults: [[0, "server-cert-expired"]],
    line: "reboot --allow single-member-downtime",
    nodes: [0],
    status: 1,
    outcomes: ["failed"],
    reason: /expired/,
    counts: [never],
  },
  {
    name: "reboot sends nothing to a server of another CA",
    faults: [[0, "server-ca-changed"]],
    line: "reboot --allow single-member-downtime",
    nodes: [0],
    status: 1,
    outcomes: ["failed"],
    counts: [never],
  },
  {
    name: "reboot sends nothing when the client's CA is refused",
    faults: [[0, "client-cert-refused"]],
    line: "reboot --allow single-member-downtime",
    nodes: [0],
    status: 1,
    outcomes: ["failed"],
    counts: [never],
  },
  {
    name: "reset is done once when the reply is lost",
    faults: [[1, "reply-lost", { method: "Reset", calls: 1 }]],
    line: reset,
    status: 0,
    outcomes: ["done"],
    counts: [once],
  },
  {
    name: "reset tells a node that never returns",
    faults: [[1, "never-returns"]],
    line: `${reset} --timeout 3s`,
    status: 4,
    outcomes: ["never-returned"],
    counts: [{ calls: 1, boots: 0 }],
  },
  {
    name: "bootstrap finds that another client has done it, and does nothing",
    faults: [],
    line: "bootstrap",
    nodes: [0],
    status: 0,
    outcomes: ["unchanged"],
    counts: [never],
  },
  {
    name: "upgrade tells an image that no registry has",
    faults: [[1, "image-missing"]],
    line: upgrade,
    status: 1,
    outcomes: ["failed"],
    counts: [{ calls: 1, boots: 0 }],
  },
  {
    name: "upgrade tells an installer that failed",
    faults: [[1, "installer-fails"]],
    line: upgrade,
    status: 1,
    outcomes: ["rolled-back"],
    counts: [once],
  },
  {
    name: "upgrade tells a node that came back with what it had",
    faults: [[1, "rolled-back"]],
    line: upgrade,
    status: 1,
    outcomes: ["rolled-back"],
    reason: /v1\.12\.1/,
    counts: [{ calls: 1, boots: 2 }],
    reported: /^\S+: kernel: /m,
  },
  {
    name: "upgrade is done once when the reply is lost",
    faults: [[1, "reply-lost", { method: "Upgrade", calls: 1 }]],
    line: upgrade,
    status: 0,
    outcomes: ["done"],
    reason: /v1\.12\.2/,
    counts: [once],
  },
  {
    name: "upgrade tells a node that never returns",
    faults: [[1, "never-returns"]],
    line: "upgrade --to v1.12.3 --timeout 3s",
    status: 4,
    outcomes: ["never-returned"],
    counts: [{ calls: 1, boots: 0 }],
  },
];

/** Faults of a cluster whose nodes have endpoints to go round. */
const ofThree: readonly Trial[] = [
  {
    name: "reboot goes round all endpoints",
    faults: [],
    line: "reboot --max-unavailable 100%",
    nodes: [0, 1, 2],
    status: 0,
    outcomes: ["done", "done", "done"],
    counts: [once, once, once],
    reported: /waiting for other control planes/,
  },
  {
    name: "reboot of an endpoint is seen through the others",
    faults: [],
    line: "reboot",
    nodes: [0],
    status: 0,
    outcomes: ["done"],
    counts: [once],
  },
  {
    name: "reboot is done when one of three endpoints is a black hole",
    faults: [[0, "blackhole"]],
    line: "reboot",
    nodes: [3],
    status: 0,
    outcomes: ["done"],
    counts: [once],
  },
];

/** Faults of a part of the nodes. */
const ofMany: readonly Trial[] = [
  {
    name: "reboot is partial when half of the nodes cannot be reached",
    faults: [[2, "unavailable"], [4, "unavailable"]],
    line: "reboot",
    nodes: [1, 2, 3, 4],
    status: 3,
    outcomes: ["done", "failed", "done", "failed"],
    counts: [once, never, once, never],
  },
];

/** Faults of a node that can be bootstrapped once. */
const ofEmpty: readonly Trial[] = [
  {
    name: "bootstrap happens once when the reply is lost",
    faults: [[0, "reply-lost", { method: "Bootstrap", calls: 1 }]],
    line: "bootstrap",
    nodes: [0],
    status: 0,
    outcomes: ["done"],
    counts: [{ calls: 1, boots: 0 }],
  },
  {
    name: "bootstrap happens once when its reply is lost",
    faults: [[0, "bootstrap-unrecorded"]],
    line: "bootstrap",
    nodes: [0],
    status: 0,
    outcomes: ["done"],
    counts: [{ calls: 1, boots: 0 }],
  },
];

Deno.test("two clients that bootstrap at once both find etcd running, whichever was the first", async () => {
  await withWire({ bootstrapped: false }, async ({ osctl, names }) => {
    const line = `bootstrap -n ${names[0]} -o jsonl`;
    const both = await Promise.all([osctl(line), osctl(line)]);
    for (const { out, err, status } of both) {
      assert.equal(status, 0, err);
      assert.match(JSON.parse(out).outcome, /^(done|unchanged)$/);
    }
    const members = await osctl(`etcd members -n ${names[0]} -o jsonl`);
    assert.equal(members.out.trimEnd().split("\n").length, 1);
  });
});

Deno.test("an endpoint that falls silent is asked once, and others from then on", async () => {
  await withWire(
    { controlplanes: 3, workers: 1 },
    async ({ cluster, names }) => {
      const { ca, crt, key: pem } = cluster.adminIdentity;
      const key = encodePkcs8(decodePrivateKey(pem));
      const route = throughEndpoints(cluster.endpoints, { ca, crt, key }, {
        env: () => undefined,
        note: assert.fail,
      });
      const { signal } = new AbortController();
      const worker = route.node(names.at(-1)!, { signal, unaryMs: 1_000 });
      /** As many calls as there are endpoints: each is asked. */
      const round = async () => {
        const calls = cluster.endpoints.map(() => worker.machine.version({}));
        const ends = await Promise.allSettled(calls);
        return ends.map((end) =>
          end.status === "rejected" ? end.reason.code : "OK"
        ).toSorted();
      };
      const allWell = ["OK", "OK", "OK"];
      // Whoever is up first answers all until the others are.
      const anyone = route.endpoint([], { signal });
      const up = new Set<string>();
      while (up.size < 3) {
        const { messages } = await anyone.machine.hostname({});
        up.add(single(messages).hostname);
      }
      assert.deepEqual(await round(), allWell);
      await cluster.setFault(names[0]!, "blackhole");
      assert.deepEqual(await round(), ["DEADLINE_EXCEEDED", "OK", "OK"]);
      assert.deepEqual(await round(), allWell);
      assert.deepEqual(await round(), allWell);
      route.close();
    },
  );
});

const oneWorker = { workers: 1, release: { tag: "v1.12.1" } };
meetAll("commands on one worker meet faults", oneWorker, ofOne);
const threeEndpoints = { controlplanes: 3, workers: 1 };
meetAll("reboots go round three endpoints", threeEndpoints, ofThree);
for (const half of ofMany) meetAll(half.name, { workers: 4 }, [half]);
for (const loss of ofEmpty) meetAll(loss.name, { bootstrapped: false }, [loss]);

/** Makes a test of a cluster that meets faults, one after the other. */
function meetAll(
  name: string,
  cluster: ClusterOptions,
  trials: readonly Trial[],
): void {
  Deno.test(name, (t) =>
    withWire(cluster, async (wire) => {
      for (const trial of trials) {
        // The next one would meet what this one left behind.
        if (!await t.step(trial.name, () => runCase(trial, wire))) return;
        await recover(trial, wire);
      }
    }));
}

/** Ends the faults of a trial, and boots what did not come back. */
async function recover({ faults }: Trial, { cluster }: Wire): Promise<void> {
  await cluster.settled();
  for (const [index, name] of faults) {
    const { identity } = cluster.nodes[index] ?? assert.fail();
    await cluster.setFault(identity.address, name, false);
  }
  for (const node of cluster.nodes) {
    if (node.boot.stage !== Stage.RUNNING) await powerCycle(node);
  }
}

async function runCase(trial: Trial, { cluster, osctl }: Wire): Promise<void> {
  const { line, faults, nodes: indexes = [1] } = trial;
  const [command = ""] = line.split(" ");
  const chosen = indexes.flatMap((index) => cluster.nodes[index] ?? []);
  const names = chosen.map(({ identity }) => identity.address);
  const counts = await Promise.all(
    chosen.map((node) => counting(node, methods[command] ?? "")),
  );
  for (const [index, name, options] of faults) {
    const { identity } = cluster.nodes[index] ?? assert.fail();
    await cluster.setFault(identity.address, name, options);
  }
  const run = (line: string) =>
    osctl(`${line} --nodes ${names.join()} -o jsonl`);
  let ran = await run(line);
  if (ran.err.includes("timed out before anything was sent")) {
    // A machine that is busy needs more time.
    ran = await run(line.replace("--timeout 3s", "--timeout 30s"));
  }
  const rows = ran.out.trimEnd().split("\n").map((row) => JSON.parse(row));
  const ended = names.map((name) => rows.find(({ node }) => node === name));
  const seen = ended.map((row) => row?.outcome ?? row?.error.code);
  assert.deepEqual(seen, trial.outcomes, ran.err);
  assert.equal(ran.status, trial.status, ran.err);
  for (const row of ended) {
    const reason = row.reason ?? row.error.message;
    if (trial.reason) assert.match(reason, trial.reason);
  }
  if (trial.reported) assert.match(ran.err, trial.reported);
  assert.deepEqual(counts.map((count) => count()), trial.counts, ran.err);
}

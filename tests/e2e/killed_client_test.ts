import assert from "node:assert/strict";
import type {
  ClusterOptions,
  RunningCluster,
} from "../../simulator/cluster/cluster.ts";
import type { SimulatedNode } from "../../simulator/state/node.ts";
import { readFields } from "../../workflows/kubernetes/client.ts";
import { counting } from "../_node_counts.ts";
import { withFolder } from "../_folder.ts";
import { isTried, share, wanted } from "../_matrix.ts";
import { needs, posix } from "../_needs.ts";
import { withWire } from "../_wire.ts";

/** Waits for what must not come take a minute each. */
export const longestSeconds = 180;

const main = new URL("../../mod.ts", import.meta.url).pathname;
const dying = new URL("_crashing_osctl.ts", import.meta.url).pathname;

/** Moments at which a client may die: around each record, and in the middle of one. */
const moments = [
  "after begin",
  "after intent",
  "before ack",
  "amid ack",
  "after ack",
  "before outcome",
  "after outcome",
] as const;

/** Those at which commands of other kinds differ; the matrices have all of them. */
const fewMoments = wanted === "all"
  ? moments
  : moments.filter((moment) => /intent|before ack|after outcome/.test(moment));

/** Moments of an upgrade in two calls: of the installer, and of the reboot behind it. */
const momentsOfSteps = [
  "after begin",
  "after intent",
  "before step install",
  "after step install",
  "before step reboot",
  "amid step reboot",
  "after step reboot",
  "before ack",
  "after ack",
  "before outcome",
  "after outcome",
] as const;

/** A command that must happen once. */
interface Trial {
  /** Its name in the names of tests; default the first word. */
  readonly name?: string;
  /** Moments at which its client is killed; default around each record. */
  readonly moments?: readonly string[];
  /** Command line without nodes. */
  readonly line: string;
  /** Method that does it. */
  readonly method: string;
  /** The cluster; the last node is the one that is worked on. */
  readonly cluster: ClusterOptions;
  readonly boots: number;
  /** Number of installer runs; default none. */
  readonly installs?: number;
  readonly check?: (node: SimulatedNode, cluster: RunningCluster) => void;
}

const trials: readonly Trial[] = [
  { line: "reboot", method: "Reboot", cluster: { workers: 1 }, boots: 1 },
  {
    moments: fewMoments,
    line: "reset --yes --reboot --system-labels-to-wipe EPHEMERAL",
    method: "Reset",
    cluster: { workers: 1 },
    boots: 1,
  },
  {
    moments: fewMoments,
    line: "upgrade --to v1.12.2",
    method: "Upgrade",
    cluster: { workers: 1, release: { tag: "v1.12.1" } },
    boots: 1,
    installs: 1,
    check: ({ disk: { bootEntries: boot } }) =>
      assert.equal(boot?.running.tag, "v1.12.2"),
  },
  {
    name: "upgrade in two calls",
    moments: momentsOfSteps,
    line: "upgrade --to v1.13.1",
    method: "Reboot",
    cluster: { workers: 2, release: { tag: "v1.13.0" } },
    boots: 1,
    installs: 1,
    check(node, { kubernetes }) {
      assert.equal(node.disk.bootEntries?.running.tag, "v1.13.1");
      // The way back is there: nothing was installed on top of it.
      const { installed = [] } = node.disk.bootEntries ?? {};
      assert.deepEqual(installed.map(({ tag }) => tag).toSorted(), [
        "v1.13.0",
        "v1.13.1",
      ]);
      const path = `/api/v1/nodes/${node.identity.hostname}`;
      const { code, body } = kubernetes.request({ method: "GET", path });
      assert.equal(code, 200);
      assert.equal(readFields(readFields(body).spec).unschedulable, undefined);
    },
  },
  {
    moments: fewMoments,
    line: "bootstrap",
    method: "Bootstrap",
    cluster: { bootstrapped: false },
    boots: 0,
    check: ({ boot: { services } }) =>
      assert.equal(services.get("etcd")?.state, "Running"),
  },
];

const cases = trials.flatMap((trial) =>
  (trial.moments ?? moments).map((moment) => ({ trial, moment }))
);

for (const [index, { trial, moment }] of cases.entries()) {
  const { name = trial.line.split(" ")[0] } = trial;
  Deno.test({
    name: `${name} happens once when its client dies ${moment} and is resumed`,
    // There is no SIGKILL.
    ...needs(posix, share(isTried(index))),
    fn: () => kill(trial, moment),
  });
}

async function kill(trial: Trial, moment: string): Promise<void> {
  const { line, method, cluster, boots, installs = 0 } = trial;
  await withFolder({}, (home) =>
    withWire(cluster, async (wire) => {
      const node = wire.cluster.nodes.at(-1);
      assert.ok(node);
      const counts = await counting(node, method);
      const before = node.counts.installs;
      const env = { OSCONFIG: wire.osconfig, OS_HOME: home };
      const killed = await osctl(
        `${line} --nodes ${node.identity.address}`,
        { ...env, DIES_AT: moment },
      );
      assert.equal(killed.signal, "SIGKILL", killed.err);
      const listed = await wire.osctl("operation list -o jsonl", { env });
      const { id, state } = JSON.parse(listed.out);
      assert.equal(state, "interrupted");
      // A request of the dead client can no longer arrive.
      const now = () => new Date(Date.now() + 61_000);
      const resumed = await wire.osctl(`operation resume ${id}`, { env, now });
      assert.equal(resumed.status, 0, resumed.err);
      await wire.cluster.settled();
      assert.deepEqual(counts(), { calls: 1, boots });
      assert.equal(node.counts.installs - before, installs);
      trial.check?.(node, wire.cluster);
    }));
}

/** Runs osctl from its sources as a process of its own, which dies. */
async function osctl(line: string, env: Readonly<Record<string, string>>) {
  const { signal, stderr } = await new Deno.Command(
    Deno.execPath(),
    { args: ["run", "-A", "--preload", dying, main, ...line.split(" ")], env },
  ).output();
  return { signal, err: new TextDecoder().decode(stderr) };
}

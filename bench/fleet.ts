/** A fleet of 1,000 clusters under a scheduler that keeps to what its workflow says. */

import { release } from "../release.ts";
import { virtualClock } from "../simulator/clock/virtual_clock.ts";
import type { Measurement } from "../tools/bench.ts";
import {
  type Pod,
  type PodEnd,
  submit,
} from "../tests/workflows/runbooks/fleet/_workflow.ts";
import { makeRandom } from "../workflows/rehearsal/matrix.ts";
import { argoWorkflow } from "../workflows/runbooks/fleet/argo.ts";
import { runBig, withBench } from "./_bench.ts";
import {
  type FleetCluster,
  openFleetCluster,
  type PodFigures,
} from "./_fleet_cluster.ts";

/** Number of clusters, and of the waves they are in. */
const [clusters, waves] = [1_000, 20];

/** Clusters at once: a whole wave. */
const parallel = clusters / waves;

/** Sizes of clusters, in nodes. */
const sizes = [5, 10, 15, 20, 25, 30, 35, 40, 45, 50];

/** Clusters that are really run, of all sizes; the others repeat what these did. */
const reallyRun = Number(Deno.env.get("OSCTL_FLEET_CLUSTERS") ?? 25);

/** Clusters with a worker that does not come back; each of them is run. */
const bad = 5;

/** Share of the pods that are killed. */
const killedShare = 0.3;

/** Journal writes for each node, about. */
const writesPerNode = 30;

/** Time until a person has repaired what failed, in milliseconds. */
const repairMs = 3_600_000;

const hourMs = 3_600_000;

interface ClusterRun {
  readonly seed: number;
  readonly nodes: number;
  readonly isBad: boolean;
  readonly pods: PodFigures[];
  /** The cluster itself, while it is run. */
  cluster: FleetCluster | undefined;
}

/** Simulates the fleet, and counts what its pods do. */
async function playFleet() {
  const random = makeRandom(7);
  const clock = virtualClock();
  const runs = clusterRuns(random);
  const measured = [...new Set(runs.values())];
  const attempts = new Map<string, number>();
  const minuteSyncs = new Map<number, number>();
  const total = { pods: 0, killed: 0, ms: 0, running: 0, most: 0, retries: 0 };

  async function ran(run: ClusterRun, number: number): Promise<PodFigures> {
    const known = run.pods[number];
    if (known !== undefined) return known;
    run.cluster ??= await openFleetCluster({
      nodes: run.nodes,
      seed: run.seed,
      isBad: run.isBad,
    });
    const isKilled = random() < killedShare;
    const last = run.nodes * writesPerNode;
    const figures = await run.cluster.pod(
      ...isKilled ? [1 + Math.floor(random() * last)] : [],
    );
    run.pods.push(figures);
    if (figures.status === 0) {
      await run.cluster[Symbol.asyncDispose]();
      run.cluster = undefined;
    } else await run.cluster.wait(30_000);
    return figures;
  }

  async function play({ template, cluster }: Pod): Promise<PodEnd> {
    const run = runs.get(cluster);
    if (template === "report" || run === undefined) {
      return { phase: "Succeeded" };
    }
    const number = attempts.get(cluster) ?? 0;
    attempts.set(cluster, number + 1);
    total.most = Math.max(total.most, ++total.running);
    // One after the other: each needs a processor.
    turn = turn.then(() => ran(run, number));
    const figures = await clock.hold(turn);
    for (const at of figures.syncs) {
      const minute = Math.floor((clock.now() + at) / 60_000);
      minuteSyncs.set(minute, (minuteSyncs.get(minute) ?? 0) + 1);
    }
    await clock.sleep(figures.ms);
    total.running--;
    total.pods++;
    total.ms += figures.ms;
    if (figures.status === 0) return { phase: "Succeeded" };
    if (figures.status !== undefined) {
      return { phase: "Failed", exitCode: figures.status };
    }
    total.killed++;
    // Lost with its node, evicted, or out of memory.
    const ends: readonly PodEnd[] = [
      { phase: "Deleted" },
      { phase: "Failed", message: "evicted" },
      { phase: "Failed", exitCode: 137 },
    ];
    return ends[total.killed % ends.length]!; // in range
  }

  let turn: Promise<PodFigures> = Promise.resolve(undefined as never);
  const startedAt = clock.now();
  const begin = performance.now();
  const workflow = submit(fleetManifest([...runs.keys()]), {
    uid: "bench",
    clock,
    play,
  });
  await clock.run(async () => {
    while ((await workflow.run()).phase === "Failed") {
      if (++total.retries > 2 * bad) throw new Error("the fleet never ends");
      await clock.sleep(repairMs);
      for (const { cluster } of measured) {
        await cluster?.wait(repairMs);
        await cluster?.mend();
      }
    }
  });
  return {
    runs,
    measured,
    total,
    minuteSyncs,
    tookMs: clock.now() - startedAt,
    realMs: performance.now() - begin,
  };
}

/**
 * Simulates the fleet, and runs the executable on a cluster of 50 nodes.
 *
 * @returns What a cluster costs, and what all of them do.
 */
export async function run(): Promise<readonly Measurement[]> {
  const { runs, measured, total, minuteSyncs, tookMs, realMs } =
    await playFleet();
  const done = [...runs.values()];
  const nodes = done.reduce((sum, one) => sum + one.nodes, 0);
  const sumUsage = (of: (pod: PodFigures) => number) =>
    done.flatMap(({ pods }) => pods).reduce((sum, pod) => sum + of(pod), 0);
  const perCluster = (of: (pod: PodFigures) => number) =>
    sumUsage(of) / clusters;
  const seconds = total.ms / 1_000;
  const name = `fleet of ${clusters} clusters`;
  return [
    {
      name: `${name} in ${waves} waves, ${parallel} at once`,
      value: tookMs / hourMs,
      unit: "h",
      detail: `${nodes} nodes, ${total.pods} pods, ${total.killed} of them ` +
        `killed, ${total.retries} times argo retry; ${measured.length} ` +
        `clusters were really run, in ${
          (realMs / 60_000).toFixed(1)
        } min, and ${clusters - measured.length} repeat them`,
    },
    {
      name: `${name}: time of a cluster`,
      value: total.ms / clusters / 60_000,
      unit: "min",
      detail: `${(total.ms / nodes / 60_000).toFixed(1)} min for each node`,
    },
    {
      name: `${name}: processor time of a cluster, with its simulated nodes`,
      value: perCluster(({ cpuMs }) => cpuMs) / 1_000,
      unit: "s",
    },
    {
      name: `${name}: journal of a cluster`,
      value: perCluster(({ journalBytes }) => journalBytes) / 1_000,
      unit: "kB",
      detail: `${Math.round(perCluster(({ writes }) => writes))} writes, ${
        Math.round(perCluster(({ syncs }) => syncs.length))
      } syncs`,
    },
    {
      name: `${name}: events of a cluster, on the volume and in the log`,
      value: perCluster(({ eventBytes }) => eventBytes) / 1_000,
      unit: "kB",
    },
    {
      name: `${name}: syncs of the volume`,
      value: sumUsage(({ syncs }) => syncs.length) / seconds * parallel,
      unit: "/s",
      detail: `${
        Math.round(Math.max(...minuteSyncs.values()) / 60)
      } /s in the busiest minute`,
    },
    {
      name: `${name}: requests for Leases, in all clusters`,
      value: sumUsage(({ leaseRequests }) => leaseRequests) / seconds *
        parallel,
      unit: "/s",
    },
    { name: `${name}: most pods at once`, value: total.most, unit: "pods" },
    {
      name: `${name}: manifest`,
      value: JSON.stringify(fleetManifest([...runs.keys()])).length / 1_000,
      unit: "kB",
    },
    await overSockets(),
  ];
}

/** The run of each cluster; those of the same size share some that are spread over the waves. */
function clusterRuns(random: () => number): ReadonlyMap<string, ClusterRun> {
  const all = Array.from({ length: clusters }, (_, seed): ClusterRun => ({
    seed,
    nodes: sizes[Math.floor(random() * sizes.length)]!, // in range
    isBad: seed % (clusters / bad) === 77,
    pods: [],
    cluster: undefined,
  }));
  const ratio = (clusters - bad) / Math.max(0, reallyRun - bad);
  const runOf = new Map<ClusterRun, ClusterRun>();
  const sorts = Map.groupBy(
    all,
    ({ isBad, nodes, seed }) => isBad ? `bad ${seed}` : `${nodes} nodes`,
  );
  for (const alike of sorts.values()) {
    // At least one of each size.
    const share = Math.max(1, Math.min(ratio, alike.length));
    alike.forEach((one, index) =>
      runOf.set(one, alike[Math.ceil(Math.floor(index / share) * share)]!)
    );
  }
  return new Map(all.map((one, index) => [`c-${index}`, runOf.get(one)!]));
}

/** The rendered workflow; no wave waits for a person. */
function fleetManifest(names: readonly string[]): unknown {
  const size = names.length / waves;
  return argoWorkflow({
    name: "bench",
    image: "registry.example/osctl:1.4.0",
    waves: Array.from({ length: waves }, (_, index) => ({
      name: `wave-${index + 1}`,
      clusters: names.slice(index * size, (index + 1) * size),
      approve: false,
    })),
    inputs: { version: "v1.13.6" },
    yes: ["*"],
    parallel,
    deadlineSeconds: 14 * 24 * 3_600,
    graceSeconds: 50,
    stateClaim: "osctl-runs",
    osconfigSecret: "osconfigs",
  }, {
    name: "rolling-upgrade",
    source: "builtin:rolling-upgrade",
    ir: "",
    client: release.tag,
    approvals: new Map(),
  });
}

/** Memory of one pod. */
async function overSockets(): Promise<Measurement> {
  return await withBench(
    { controlplanes: 3, workers: 47 },
    async (bench) => {
      const { megabytes } = await runBig(bench);
      return { name: "pod of 50 nodes: memory", value: megabytes, unit: "MB" };
    },
  );
}

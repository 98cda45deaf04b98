/** Several runners on copies of one run, and what the nodes hear of them. */

import { renderOsconfig } from "../../config/osconfig/osconfig_file.ts";
import type { ClusterOptions } from "../../simulator/cluster/cluster.ts";
import type { Role } from "../../pki/roles.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../../transport/gen/machine_events.ts";
import { readFields } from "../../workflows/kubernetes/client.ts";
import { countBoots, type RunHome } from "../commands/runbook/_home.ts";
import { copyFolder, fakeTime } from "../../tools/robustness/osctl_process.ts";
import { type RunProcess, startIn, withSlowHome } from "./_runs.ts";

/** Asks, and restarts every worker then, closed around that. */
const closing = `apiVersion: osctl/v1
kind: Runbook
name: restarts
title: Restart workers
requires: { needs: [kubernetes] }
groups:
  workers: { role: worker, order: [name] }
steps:
  - id: go
    approve: { tag: go, message: "Now?" }
  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: cordon, run: node.cordon }
      - { id: restart, run: node.reboot, timeout: 1m }
      - { id: ready, gate: node.ready, within: 1m }
    always:
      - { id: uncordon, run: node.uncordon }
`;

/** The same with calls to nodes alone, by a runbook that does not need Kubernetes. */
export const bare = closing.replace("needs: [kubernetes]", "needs: []")
  .replace(/ +- \{ id: cordon.*\n/, "").replace(/ +always:\n.*\n/, "");

/** Runners, and the roles by which nodes distinguish them: all may do everything. */
const roles = {
  a: ["os:admin"],
  b: ["os:admin", "os:operator"],
  c: ["os:admin", "os:reader"],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

/** A runner. */
export type RunnerName = keyof typeof roles;

/** A call that changes something, as the node hears it. */
export interface Heard {
  readonly runner: RunnerName;
  /** Host name of the node. */
  readonly node: string;
  /** Method: `Reboot`. */
  readonly method: string;
  readonly holder: string;
  /** Other nodes that were down, not ready or closed then. */
  readonly away: readonly string[];
}

export interface ChaosEnd {
  /** Boots of each node, the first among them. */
  readonly boots: Readonly<Record<string, number>>;
  /** Nodes on which Kubernetes places no pods. */
  readonly closed: readonly string[];
}

export interface RunnerOptions {
  /** File with what its clock is off, `+3600`, read at each look at the clock; default its clock is right. */
  readonly clock?: string;
}

/** A run on copies. */
export interface Chaos {
  /** The cluster. */
  readonly home: RunHome;
  /** Calls so far. */
  readonly heard: readonly Heard[];
  /** Resumes a copy of the run, on a host of its own; with that it answers all questions. */
  readonly resume: (name: RunnerName, options?: RunnerOptions) => RunProcess;
  /** Copies the home of one runner, as it is now, to another one. */
  readonly copy: (from: RunnerName, to: RunnerName) => Promise<void>;
  /** Does something at the moment a node hears a call, before it does it; or Kubernetes a {@linkcode renewal}. */
  readonly at: (method: string, act: () => void) => Promise<void>;
  readonly end: () => ChaosEnd;
  /** Path of a file for the clock of a runner. */
  readonly clockFile: (offset: string) => Promise<string>;
}

export const renewal = "PUT";

const lease =
  "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/osctl-runbook";

/**
 * Begins a run that waits for an answer, and plays a scene with copies of it for each runner.
 *
 * @param play The scene.
 * @param runbook Default one that closes nodes around their restarts.
 */
export function withChaos(
  play: (chaos: Chaos) => Promise<void>,
  runbook: string = closing,
): Promise<void> {
  return withSlowHome(async (home) => {
    const { cluster } = home;
    const heard: Heard[] = [];
    const waiting = new Set<{ method: string; act: () => void }>();
    const facts = cluster.nodes[0]!.cluster; // there is a control plane
    facts.onCall = ({ node, method, mutating, roles: shown }) => {
      if (!mutating) return;
      const away = awayBeside(home, node.identity.hostname);
      const { hostname } = node.identity;
      const runner = findRunner(shown);
      heard.push({
        runner,
        node: hostname,
        method,
        holder: readHolder(home),
        away,
      });
      report(method);
    };
    const report = (method: string) => {
      for (const one of [...waiting]) if (one.method === method) one.act();
    };
    const api = facts.kubernetesApi!; // the cluster runs
    const { request } = api;
    let isClosed = false;
    Object.assign(api, {
      request(asked: Parameters<typeof request>[0]) {
        isClosed ||= asked.method === "PATCH";
        if (isClosed && asked.method === renewal) report(renewal);
        return request(asked);
      },
    });
    const homes = {} as Record<RunnerName, { home: string; osconfig: string }>;
    for (const name of ["a", "b", "c"] as const) {
      const folder = `${home.home}/${name}`;
      const osconfig = `${home.home}/${name}.osconfig`;
      // One after the other: keys take the processor anyway.
      await Deno.writeTextFile(
        osconfig,
        await writeOsconfig(home, roles[name]),
      );
      homes[name] = { home: folder, osconfig };
    }
    const copy: Chaos["copy"] = async (from, to) => {
      await Deno.remove(homes[to].home, { recursive: true }).catch(() => {});
      await copyFolder(homes[from].home, homes[to].home);
    };
    const file = await home.write(runbook);
    const words = ["runbook", "run", file];
    const startedAt = await home.osctl(words, {
      env: { OS_HOME: homes.a.home, OSCONFIG: homes.a.osconfig },
    });
    if (startedAt.status !== 76) throw new Error(startedAt.err);
    await copy("a", "b");
    await copy("a", "c");
    const started: RunProcess[] = [];
    let clocks = 0;
    try {
      await play({
        home,
        heard,
        copy,
        resume(name, { clock } = {}) {
          const host = 'hostname "$0" && exec "$@"';
          const wrapper = ["unshare", "-u", "sh", "-c", host, `chaos-${name}`];
          const env = {
            // Long enough for a machine that has much to do.
            OSCTL_LEASE_DURATION: "4s",
            ...clock === undefined ? {} : fakeTime(clock),
          };
          const resume = ["runbook", "resume", "--yes"];
          const process = startIn(homes[name], resume, { wrapper, env });
          started.push(process);
          return process;
        },
        at: (method, act) =>
          new Promise((resolve) => {
            const one = {
              method,
              act() {
                waiting.delete(one);
                act();
                resolve();
              },
            };
            waiting.add(one);
          }),
        end: () => ({ boots: countBoots(cluster), closed: listClosed(home) }),
        async clockFile(offset) {
          const path = `${home.home}/clock-${++clocks}`;
          await Deno.writeTextFile(path, offset);
          return path;
        },
      });
    } finally {
      for (const process of started) await killProcess(process);
      delete facts.onCall;
    }
  }, unhurried);
}

/** Nodes are unavailable for longer than it takes to start another runner. */
const unhurried: ClusterOptions = {
  workers: 2,
  pace: { bootMs: 300, stopMs: 300, downMs: 4_000 },
};

/** Ends what a test that has failed has left, also where it is paused. */
async function killProcess(process: RunProcess): Promise<void> {
  try {
    process.kill("SIGKILL");
  } catch {
    // It has come to its end.
  }
  await process.ended();
}

/**
 * Invariants that the nodes' own records can decide.
 *
 * @param heard Calls in the order in which nodes heard them.
 * @param end What is true at the end, when the run was ended by hand.
 */
export function findProblems(
  heard: readonly Heard[],
  { boots, closed }: ChaosEnd,
): readonly string[] {
  const sent = new Map<string, number>();
  const problems = heard.flatMap(({ runner, node, method, holder, away }) => {
    const about = `${method} of ${node} by ${runner}`;
    const key = `${method} of ${node}`;
    sent.set(key, (sent.get(key) ?? 0) + 1);
    const isHolder = holder.includes(`@chaos-${runner} `);
    return [
      ...(isHolder ? [] : [`${about} while "${holder}" held the cluster`]),
      ...(away.length === 0
        ? []
        : [`I2: ${about} while others were away: ${away.join(", ")}`]),
      ...(method === "Reboot" ? [] : [`I1, I7, I8: ${about}`]),
    ];
  });
  for (const [key, times] of sent) {
    if (times > 1) problems.push(`I3: ${times} times ${key}`);
  }
  for (const [node, times] of Object.entries(boots)) {
    const isWorker = node.includes("worker");
    if (times !== (isWorker ? 2 : 1)) {
      problems.push(`I3: ${node} booted ${times} times`);
    }
  }
  return [...problems, ...closed.map((node) => `I5: ${node} is closed`)];
}

function findRunner(shown: ReadonlySet<string>): RunnerName {
  return shown.has("os:operator") ? "b" : shown.has("os:reader") ? "c" : "a";
}

function readHolder({ cluster }: RunHome): string {
  const { body } = cluster.kubernetes.request({ method: "GET", path: lease });
  return String(readFields(readFields(body).spec).holderIdentity);
}

function awayBeside(home: RunHome, node: string): readonly string[] {
  const closed = listClosed(home);
  return home.cluster.nodes.flatMap(({ identity, boot: { stage, ready } }) => {
    const { hostname } = identity;
    const isUp = stage === Stage.RUNNING && ready;
    const isAway = !isUp || closed.includes(hostname);
    return isAway && hostname !== node ? [hostname] : [];
  });
}

function listClosed({ cluster }: RunHome): readonly string[] {
  return cluster.nodes.flatMap(({ identity: { hostname } }) => {
    const path = `/api/v1/nodes/${hostname}`;
    const { body } = cluster.kubernetes.request({ method: "GET", path });
    const { unschedulable } = readFields(readFields(body).spec);
    return unschedulable === true ? [hostname] : [];
  });
}

async function writeOsconfig(
  { cluster, names }: RunHome,
  shown: readonly Role[],
): Promise<string> {
  const base64 = (pem: string) => new TextEncoder().encode(pem).toBase64();
  const { ca, crt, key } = await cluster.identify(shown);
  const context = {
    endpoints: cluster.endpoints,
    nodes: names,
    ca: base64(ca),
    crt: base64(crt),
    key: base64(key),
  };
  return await renderOsconfig({
    current: cluster.name,
    contexts: new Map([[cluster.name, context]]),
  });
}

/** Fleets of one cluster: the rendered workflow, its controller, and pods that are processes or run in this one. */

import assert from "node:assert/strict";
import { parse } from "yaml";
import { countBoots, type RunHome } from "../commands/runbook/_home.ts";
import { makeLocks } from "../workflows/runbooks/fleet/_argo_locks.ts";
import {
  type Pod,
  type PodEnd,
  submit,
  type SubmittedWorkflow,
  type WorkflowEnd,
} from "../workflows/runbooks/fleet/_workflow.ts";
import { listHeaders } from "../../workflows/runbooks/store/run_header.ts";
import {
  type RunProcess,
  startIn,
  type StartOptions,
  withSlowHome,
} from "./_runs.ts";

/** Plays one pod. */
export type Play = (pod: Pod, fleet: PlayedFleet) => Promise<PodEnd>;

/** A fleet of one cluster, and the machines its pods are on. */
export interface PlayedFleet extends RunHome {
  /** Time of the management cluster. */
  readonly clock: {
    readonly now: () => number;
    readonly sleep: (ms: number) => Promise<void>;
  };
  /** Folder of a volume, `persistentVolumeClaim/osctl-runs`. */
  readonly chooseFolder: (volume: string) => string;
  readonly placed: (pod: Pod) => {
    readonly words: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  /** Submits the workflow: these plays follow one another, the last one goes on. */
  readonly submit: (uid: string, ...plays: readonly Play[]) => Submitted;
}

/** A workflow with what its pods have printed. */
interface Submitted extends SubmittedWorkflow {
  /** Standard error of every pod in this process. */
  readonly told: string[];
}

/** A wave with the cluster, and one that must not begin when that fails. */
const fleetFile = `apiVersion: osctl/v1
kind: Fleet
image: registry.example/osctl:1.4.0
waves:
  - { name: canary, clusters: [lab-1] }
  - { name: rest, clusters: [lab-2], approve: false }
deadline: 30h
volumes: { runbooks: mine }
`;

/** Runs a test with the rendered workflow of a runbook. */
export function withFleet(
  runbook: string,
  test: (fleet: PlayedFleet) => Promise<void>,
): Promise<void> {
  return withSlowHome(async (home) => {
    const findFolder = (volume: string) => `${home.home}/${volume}`;
    const [secrets, runbooks] = ["secret/osconfigs", "configMap/mine"]
      .map(findFolder);
    await Deno.mkdir(`${secrets}`, { recursive: true });
    await Deno.mkdir(`${runbooks}`, { recursive: true });
    await Deno.copyFile(home.osconfig, `${secrets}/lab-1`);
    const text = runbook.replaceAll("HOME", home.home);
    const own = await home.write(text, "configMap/mine/own.runbook.yaml");
    const file = await home.write(fleetFile, "fleet.yaml");
    const words = ["runbook", "render", "--to", "argo", "--clusters", file];
    const { out, err } = await home.osctl([...words, own]);
    const manifest = parse(out);
    assert.ok(manifest, err);
    // Mutexes are those of a namespace, whatever workflow takes them.
    const locks = makeLocks();
    let ahead = 0;
    const clock = {
      now: () => Date.now() + ahead,
      sleep: (ms: number) => Promise.resolve(void (ahead += ms)),
    };
    const fleet: PlayedFleet = {
      ...home,
      clock,
      chooseFolder: findFolder,
      placed({ words: [program, ...words], env, mounts }) {
        assert.equal(program, "osctl");
        const onHost = (text: string) =>
          mounts.reduce(
            (all, { path, volume, folder }) =>
              all.replace(
                new RegExp(`(^|=)${path}(?=/|$)`),
                `$1${findFolder(volume)}${folder && `/${folder}`}`,
              ),
            text,
          );
        const entries = Object.entries(env).map(([name, value]) =>
          [name, onHost(value)] as const
        );
        return {
          words: words.map(onHost),
          env: { ...Object.fromEntries(entries), ...quickLease },
        };
      },
      submit(uid, ...plays) {
        const told: string[] = [];
        const left = [...plays];
        const play = (pod: Pod): Promise<PodEnd> => {
          if (pod.template === "report") return toItsEnd(pod, fleet, told);
          // The second wave is there to be seen beginning.
          if (pod.cluster !== "lab-1") {
            return Promise.resolve({ phase: "Succeeded" });
          }
          const next = left.shift();
          return next?.(pod, fleet) ?? toItsEnd(pod, fleet, told);
        };
        return { told, ...submit(manifest, { uid, clock, play, locks }) };
      },
    };
    await test(fleet);
  });
}

/** A resume of a run whose process was killed waits that long. */
const quickLease = { OSCTL_LEASE_DURATION: "2s" };

export function podEnd(status: number, message?: string): PodEnd {
  if (status === 0) return { phase: "Succeeded" };
  const about = message === undefined ? {} : { message };
  return { phase: "Failed", exitCode: status, ...about };
}

/** A pod that nothing happens to, in this process. */
export async function toItsEnd(
  pod: Pod,
  { osctl, placed, clock }: PlayedFleet,
  told: string[],
): Promise<PodEnd> {
  const { words, env } = placed(pod);
  const now = () => new Date(clock.now());
  const { status, err } = await osctl(words, { env, now });
  told.push(err);
  return podEnd(status);
}

/** Starts a pod as a process. */
export function start(
  pod: Pod,
  fleet: PlayedFleet,
  options: StartOptions = {},
): RunProcess {
  const { words, env } = fleet.placed(pod);
  return startIn(fleet, words, { ...options, env: { ...env, ...options.env } });
}

/** Tells that a node is unavailable. */
export const away =
  /"step\.progress","path":"workers\/restart".*the node is rebooting/;

/** A pod that a node is unavailable because of. */
export async function atWork(
  pod: Pod,
  fleet: PlayedFleet,
  options: StartOptions = {},
): Promise<RunProcess> {
  const process = start(pod, fleet, options);
  await process.tells(away);
  return process;
}

/** A pod whose machine is drained: the eviction API ends it as `kubectl delete` does. */
export const drained: Play = async (pod, fleet) => {
  const process = await atWork(pod, fleet);
  process.kill("SIGTERM");
  return podEnd((await process.ended()).status);
};

/** The same before osctl has begun to work. */
export const drainedAtOnce: Play = async (pod, fleet) => {
  const process = start(pod, fleet);
  process.kill("SIGTERM");
  return podEnd((await process.ended()).status);
};

/** A pod that is killed, and how its status says so. */
export function runKilled(end: PodEnd): Play {
  return async (pod, fleet) => {
    const process = await atWork(pod, fleet);
    process.kill("SIGKILL");
    assert.equal((await process.ended()).status, 137);
    return end;
  };
}

/** The machine has too little memory or disk: the kubelet ends the pod, and knows nothing of its container. */
export const evicted: Play = runKilled({
  phase: "Failed",
  message: "The node was low on resource: ephemeral-storage.",
});

export function listAttempts({ clusters }: WorkflowEnd): readonly string[] {
  return clusters.filter(({ cluster }) => cluster === "lab-1")
    .flatMap(({ attempts }) =>
      attempts.map(({ phase, exitCode }) => `${phase} ${exitCode}`)
    );
}

export function beganRest({ clusters }: WorkflowEnd): boolean {
  return clusters.some(({ step }) => step === "rest");
}

/** Each worker has restarted once, in one run. */
export async function expectOneRestart(fleet: PlayedFleet) {
  const { "simulated-worker-1": one, "simulated-worker-2": two } = countBoots(
    fleet.cluster,
  );
  assert.deepEqual([one, two], [2, 2]);
  assert.equal((await listRuns(fleet)).length, 1);
}

/** Ids of the runs of the cluster. */
export async function listRuns(
  { chooseFolder }: PlayedFleet,
): Promise<readonly string[]> {
  const volume = chooseFolder("persistentVolumeClaim/osctl-runs");
  const headers = await listHeaders(`${volume}/lab-1/runs`);
  return headers.map(({ id }) => id);
}

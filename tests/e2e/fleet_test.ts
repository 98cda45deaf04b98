import assert from "node:assert/strict";
import { parse } from "yaml";
import { bootsOf, quick, type RunHome } from "../commands/runbook/_home.ts";
import {
  type Pod,
  type PodEnd,
  submit,
  type SubmittedWorkflow,
  type WorkflowEnd,
} from "../workflows/runbooks/fleet/_workflow.ts";
import { listHeaders } from "../../workflows/runbooks/store/run_header.ts";
import { isRoot, works } from "./_osctl.ts";
import { restarts, startIn, type StartOptions, withSlowHome } from "./_runs.ts";

/** Plays one pod. */
type Play = (pod: Pod, fleet: PlayedFleet) => Promise<PodEnd>;

/** A fleet of one cluster, and the machines its pods are on. */
interface PlayedFleet extends RunHome {
  /** Time of the management cluster. */
  readonly clock: {
    readonly now: () => number;
    readonly sleep: (ms: number) => Promise<void>;
  };
  /** Folder of a volume, `persistentVolumeClaim/osctl-runs`. */
  readonly folderOf: (volume: string) => string;
  /** What a pod is called with, where its volumes are. */
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
function withFleet(
  runbook: string,
  test: (fleet: PlayedFleet) => Promise<void>,
): Promise<void> {
  return withSlowHome(async (home) => {
    const folderOf = (volume: string) => `${home.home}/${volume}`;
    const [secrets, runbooks] = ["secret/osconfigs", "configMap/mine"]
      .map(folderOf);
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
    let ahead = 0;
    const clock = {
      now: () => Date.now() + ahead,
      sleep: (ms: number) => Promise.resolve(void (ahead += ms)),
    };
    const fleet: PlayedFleet = {
      ...home,
      clock,
      folderOf,
      placed({ words: [program, ...words], env, mounts }) {
        assert.equal(program, "osctl");
        const onHost = (text: string) =>
          mounts.reduce(
            (all, { path, volume, folder }) =>
              all.replace(
                new RegExp(`(^|=)${path}(?=/|$)`),
                `$1${folderOf(volume)}${folder && `/${folder}`}`,
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
        return { told, ...submit(manifest, { uid, clock, play }) };
      },
    };
    await test(fleet);
  });
}

/** A resume of a run whose process was killed waits that long. */
const quickLease = { OSCTL_LEASE_DURATION: "2s" };

function endOf(status: number, message?: string): PodEnd {
  if (status === 0) return { phase: "Succeeded" };
  const about = message === undefined ? {} : { message };
  return { phase: "Failed", exitCode: status, ...about };
}

/** A pod that nothing happens to, in this process. */
async function toItsEnd(
  pod: Pod,
  { osctl, placed, clock }: PlayedFleet,
  told: string[],
): Promise<PodEnd> {
  const { words, env } = placed(pod);
  const now = () => new Date(clock.now());
  const { status, err } = await osctl(words, { env, now });
  told.push(err);
  return endOf(status);
}

/** Starts a pod as a process. */
function started(pod: Pod, fleet: PlayedFleet, options: StartOptions = {}) {
  const { words, env } = fleet.placed(pod);
  return startIn(fleet, words, { ...options, env });
}

/** Tells that a node is unavailable. */
const away =
  /"step\.progress","path":"workers\/restart".*the node is rebooting/;

/** A pod that a node is unavailable because of. */
async function atWork(pod: Pod, fleet: PlayedFleet) {
  const process = started(pod, fleet);
  await process.tells(away);
  return process;
}

/** A pod whose machine is drained: the eviction API ends it as `kubectl delete` does. */
const drained: Play = async (pod, fleet) => {
  const process = await atWork(pod, fleet);
  process.kill("SIGTERM");
  return endOf((await process.ended()).status);
};

/** The same before osctl has begun to work. */
const drainedAtOnce: Play = async (pod, fleet) => {
  const process = started(pod, fleet);
  process.kill("SIGTERM");
  return endOf((await process.ended()).status);
};

/** A pod that is killed, and how its status says so. */
function killed(end: PodEnd): Play {
  return async (pod, fleet) => {
    const process = await atWork(pod, fleet);
    process.kill("SIGKILL");
    assert.equal((await process.ended()).status, 137);
    return end;
  };
}

/** The machine has too little memory or disk: the kubelet ends the pod, and knows nothing of its container. */
const evicted = killed({
  phase: "Failed",
  message: "The node was low on resource: ephemeral-storage.",
});

/** What one attempt after the other ended with. */
function attemptsOf({ clusters }: WorkflowEnd): readonly string[] {
  return clusters.filter(({ cluster }) => cluster === "lab-1")
    .flatMap(({ attempts }) =>
      attempts.map(({ phase, exitCode }) => `${phase} ${exitCode}`)
    );
}

function beganRest({ clusters }: WorkflowEnd): boolean {
  return clusters.some(({ step }) => step === "rest");
}

/** Each worker has restarted once, in one run. */
async function restartedOnce(fleet: PlayedFleet) {
  const { "simulated-worker-1": one, "simulated-worker-2": two } = bootsOf(
    fleet.cluster,
  );
  assert.deepEqual([one, two], [2, 2]);
  assert.equal((await runsOf(fleet)).length, 1);
}

/** Ids of the runs of the cluster. */
async function runsOf({ folderOf }: PlayedFleet): Promise<readonly string[]> {
  const volume = folderOf("persistentVolumeClaim/osctl-runs");
  const headers = await listHeaders(`${volume}/lab-1/runs`);
  return headers.map(({ id }) => id);
}

Deno.test("pods that are drained or evicted are followed by others, and each node restarts once", async () => {
  await withFleet(restarts, async (fleet) => {
    const workflow = fleet.submit(
      "8f14e45f",
      drainedAtOnce,
      drained,
      evicted,
    );
    const end = await workflow.run();
    assert.deepEqual(attemptsOf(end), [
      "Failed 143",
      "Failed 75",
      "Failed -1",
      "Succeeded -1",
    ]);
    assert.deepEqual([end.phase, beganRest(end)], ["Succeeded", true]);
    await restartedOnce(fleet);
  });
});

Deno.test("pods that are killed, or lost with their node, are followed by others, and each node restarts once", async () => {
  await withFleet(restarts, async (fleet) => {
    const workflow = fleet.submit(
      "8f14e45f",
      killed({ phase: "Deleted" }),
      killed(endOf(137, "OOMKilled")),
    );
    const end = await workflow.run();
    assert.deepEqual(attemptsOf(end), [
      "Error -1",
      "Failed 137",
      "Succeeded -1",
    ]);
    assert.equal(end.phase, "Succeeded");
    await restartedOnce(fleet);
  });
});

Deno.test("a run that needs a person ends its wave; approved, it continues with argo retry, for a day", async () => {
  await withFleet(quick, async (fleet) => {
    const workflow = fleet.submit("8f14e45f");
    const asked = await workflow.run();
    assert.deepEqual(
      [asked.phase, attemptsOf(asked), beganRest(asked), asked.report],
      ["Failed", ["Failed 76"], false, { phase: "Failed", exitCode: 76 }],
    );
    // As docs/runbooks/fleet.md says.
    const folder = fleet.folderOf("persistentVolumeClaim/osctl-runs");
    const approve = () =>
      fleet.osctl("runbook approve last", {
        env: { OS_HOME: `${folder}/lab-1` },
        now: () => new Date(fleet.clock.now()),
      });
    assert.match((await approve()).out, /is approved until/);
    await fleet.clock.sleep(25 * 3_600_000);
    assert.deepEqual(attemptsOf(await workflow.run()), ["Failed 76"]);
    assert.match((await approve()).out, /is approved until/);
    await fleet.clock.sleep(23 * 3_600_000);
    const end = await workflow.run();
    assert.deepEqual(
      [end.phase, attemptsOf(end), beganRest(end), end.report],
      ["Succeeded", ["Succeeded -1"], true, { phase: "Succeeded" }],
      workflow.told.join("\n"),
    );
    assert.equal((await runsOf(fleet)).length, 1);
  });
});

/** Restarts workers that have pulled an image. */
const pulls = restarts.replace(
  "      - { id: cordon",
  "      - { id: pull, run: image.pull, with: { image: docker.io/library/a } }\n" +
    "      - { id: cordon",
);

Deno.test("a run that fails is not repeated; with its cause gone it continues with argo retry", async () => {
  await withFleet(pulls, async (fleet) => {
    const [, ...workers] = fleet.names;
    const missing = (isOn: boolean) =>
      Promise.all(
        workers.map((node) =>
          fleet.cluster.setFault(node, "image-missing", isOn ? {} : false)
        ),
      );
    await missing(true);
    const workflow = fleet.submit("8f14e45f");
    const end = await workflow.run();
    assert.deepEqual(
      [end.phase, attemptsOf(end), beganRest(end), end.report],
      ["Failed", ["Failed 1"], false, { phase: "Failed", exitCode: 1 }],
      workflow.told.join("\n"),
    );
    await missing(false);
    const again = await workflow.run();
    assert.deepEqual(
      [again.phase, attemptsOf(again), beganRest(again), again.report],
      ["Succeeded", ["Succeeded -1"], true, { phase: "Succeeded" }],
      workflow.told.join("\n"),
    );
    await restartedOnce(fleet);
  });
});

Deno.test("a workflow that is out of time stops its runs at a safe point; argo retry continues, also after a day", async () => {
  await withFleet(restarts, async (fleet) => {
    /** The kubelet ends the pod then. */
    const late: Play = async (pod, { clock }) => {
      const process = await atWork(pod, fleet);
      const left = (pod.deadline ?? Infinity) - clock.now();
      assert.ok(left > 29.9 * 3_600_000 && left <= 30 * 3_600_000, `${left}`);
      await clock.sleep(left);
      process.kill("SIGTERM");
      return endOf((await process.ended()).status, "DeadlineExceeded");
    };
    const workflow = fleet.submit("8f14e45f", late);
    const end = await workflow.run();
    assert.deepEqual(
      [end.phase, attemptsOf(end), beganRest(end), end.report],
      ["Failed", ["Failed 75"], false, { phase: "Failed", exitCode: 75 }],
    );
    await fleet.clock.sleep(24 * 3_600_000);
    const again = await workflow.run();
    assert.deepEqual(
      [again.phase, attemptsOf(again), beganRest(again)],
      ["Succeeded", ["Succeeded -1"], true],
    );
    await restartedOnce(fleet);
  });
});

Deno.test("of two pods with one key one works; the other ends with 8, and argo retry finds the run done", async () => {
  await withFleet(restarts, async (fleet) => {
    const { promise: first, resolve } = Promise.withResolvers<number>();
    /** The management cluster has lost the machine, which works on. */
    const cutOff: Play = async (pod) => {
      const process = await atWork(pod, fleet);
      resolve(process.ended().then(({ status }) => status));
      return { phase: "Deleted" };
    };
    const workflow = fleet.submit("8f14e45f", cutOff);
    const end = await workflow.run();
    assert.deepEqual(attemptsOf(end), ["Error -1", "Failed 8"]);
    assert.match(workflow.told.join(""), /is running in another process/);
    assert.equal(await first, 0);
    const again = await workflow.run();
    assert.deepEqual(
      [again.phase, attemptsOf(again)],
      ["Succeeded", ["Succeeded -1"]],
    );
    await restartedOnce(fleet);
  });
});

Deno.test({
  name:
    "a run whose volume is full sends nothing more, and continues with argo retry when there is room",
  ignore: !isRoot ||
    !works("unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"),
  async fn() {
    await withFleet(restarts, async (fleet) => {
      const volume = fleet.folderOf("persistentVolumeClaim/osctl-runs");
      await Deno.mkdir(volume, { recursive: true });
      await must("mount", "-t", "tmpfs", "-o", "size=1m", "none", volume);
      try {
        const filled: Play = async (pod) => {
          const process = await atWork(pod, fleet);
          await fill(`${volume}/filler`);
          const { status, err } = await process.ended();
          assert.match(err, /error: Cannot write the journal of the run\n/);
          return endOf(status);
        };
        const tooLate: Play = (pod) => toItsEnd(pod, fleet, workflow.told);
        const workflow = fleet.submit("8f14e45f", tooLate, filled);
        // Nothing has begun, so nothing is there.
        await fill(`${volume}/filler`);
        const early = await workflow.run();
        assert.deepEqual(attemptsOf(early), ["Failed 2"]);
        assert.match(workflow.told[0] ?? "", /no space left on the disk/);
        await Deno.remove(`${volume}/filler`);
        const end = await workflow.run();
        assert.deepEqual(
          [end.phase, attemptsOf(end), beganRest(end), end.report],
          ["Failed", ["Failed 1"], false, { phase: "Failed", exitCode: 75 }],
        );
        // It is still full.
        const full = await workflow.run();
        assert.deepEqual(attemptsOf(full), ["Failed 1"], workflow.told.at(-2));
        await Deno.remove(`${volume}/filler`);
        const again = await workflow.run();
        assert.deepEqual(
          [again.phase, attemptsOf(again)],
          ["Succeeded", ["Succeeded -1"]],
          workflow.told.join("\n"),
        );
        await restartedOnce(fleet);
      } finally {
        await must("umount", "--lazy", volume);
      }
    });
  },
});

/** Writes until the volume is full. */
async function fill(path: string) {
  using file = await Deno.open(path, { write: true, create: true });
  const page = new Uint8Array(4096);
  await assert.rejects(async () => {
    while (true) await file.write(page);
  }, /No space left/);
}

/** Runs a program that has to succeed. */
async function must(program: string, ...args: readonly string[]) {
  const { success, stderr } = await new Deno.Command(program, {
    args: [...args],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

Deno.test("a run continues with another version of osctl, but not with one that its runbook does not allow", async () => {
  const runbook = restarts.replace(
    "groups:",
    'requires: { osctl: ">=1.4.0" }\ngroups:',
  );
  await withFleet(runbook, async (fleet) => {
    const by = (version: string): Play => async (pod) => {
      const process = started(pod, fleet, { version });
      const { status, err } = await process.ended();
      workflow.told.push(err);
      return endOf(status);
    };
    const drainedOld: Play = async (pod) => {
      const process = started(pod, fleet, { version: "v1.4.0" });
      await process.tells(away);
      process.kill("SIGTERM");
      return endOf((await process.ended()).status);
    };
    const workflow = fleet.submit(
      "8f14e45f",
      drainedOld,
      by("v1.3.9"),
      by("v1.5.0"),
    );
    const end = await workflow.run();
    assert.deepEqual(attemptsOf(end), ["Failed 75", "Failed 2"]);
    assert.match(workflow.told[0] ?? "", /needs osctl >=1\.4\.0.*v1\.3\.9/);
    const again = await workflow.run();
    assert.deepEqual(attemptsOf(again), ["Succeeded -1"]);
    await restartedOnce(fleet);
  });
});

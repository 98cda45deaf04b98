import assert from "node:assert/strict";
import { withDisk } from "../_full_disk.ts";
import { linux, namespaces, needs, root } from "../_needs.ts";
import {
  countBoots,
  quick,
  runbook,
  type RunHome,
} from "../commands/runbook/_home.ts";
import { visible } from "../_processes.ts";
import { withSilence } from "./_osctl.ts";
import { restarts, startIn, withSlowHome } from "./_runs.ts";

const [first, second] = ["simulated-worker-1", "simulated-worker-2"];

/** Tells that the first node is unavailable. */
const away =
  /"step\.progress","path":"workers\/restart".*the node is rebooting/;

/** Starts a run that restarts workers, and waits until the first is unavailable. */
async function startAt(home: RunHome, ...flags: string[]) {
  const file = await home.write(restarts);
  const words = ["runbook", "run", file, "-o", "jsonl", ...flags];
  const run = startIn(home, words);
  await run.tells(away);
  return run;
}

const env: Readonly<Record<string, string>> = visible
  ? {}
  : { OSCTL_LEASE_DURATION: "2s" };

/** Continues with the only run, and expects that each worker has restarted once. */
async function resume(home: RunHome) {
  const { status, err } = await home.osctl("runbook resume", { env });
  assert.equal(status, 0, err);
  if (visible) assert.doesNotMatch(err, /Waiting up to/);
  expectOneRestart(home);
}

function expectOneRestart({ cluster }: RunHome) {
  const { [first]: one, [second]: two } = countBoots(cluster);
  assert.deepEqual([one, two], [2, 2]);
}

/** Ends of the only run, as its journal has them. */
async function listEnds({ journal }: RunHome) {
  return (await journal()).filter(({ type }) => type === "run.end")
    .map(({ data }) => data?.state);
}

Deno.test("the first Ctrl-C stops a run when the node that is unavailable is back: status 75", async () => {
  await withSlowHome(async (home) => {
    const run = await startAt(home);
    run.kill("SIGINT");
    const { status, out, err } = await run.ended();
    assert.equal(status, 75, err);
    assert.match(out, new RegExp(`"waiting":\\[\\{"node":"${first}"`));
    assert.match(out, new RegExp(`"node\\.ended".*"node":"${first}".*"done"`));
    assert.equal(countBoots(home.cluster)[second], 1);
    assert.deepEqual(await listEnds(home), ["stopped"]);
    await resume(home);
  });
});

Deno.test("the second Ctrl-C waits for nothing: status 130, and the node restarts once anyway", async () => {
  await withSlowHome(async (home) => {
    const run = await startAt(home);
    run.kill("SIGINT");
    await run.tells(/"run\.stopping"/);
    run.kill("SIGINT");
    const { status, err } = await run.ended();
    assert.equal(status, 130, err);
    assert.deepEqual(await listEnds(home), []);
    await resume(home);
  });
});

Deno.test("Ctrl-C before anything has started ends at once, and leaves no run: status 130", async () => {
  await withSlowHome(async (home) => {
    await withSilence(async (address, visited) => {
      const file = await home.write(quick);
      const words = ["runbook", "run", file, "--endpoints", address];
      const run = startIn(home, words);
      await visited;
      run.kill("SIGINT");
      const { status, err } = await run.ended();
      assert.equal(status, 130, err);
      assert.deepEqual(await home.ids(), []);
    });
  });
});

Deno.test("SIGTERM stops a run within its grace: status 75; without enough of it: 143", async () => {
  await withSlowHome(async (home) => {
    const patient = await startAt(home, "--grace", "30s");
    patient.kill("SIGTERM");
    assert.equal((await patient.ended()).status, 75);
    await resume(home);
  });
  await withSlowHome(async (home) => {
    const hasty = await startAt(home, "--grace", "50ms");
    hasty.kill("SIGTERM");
    assert.equal((await hasty.ended()).status, 143);
    await resume(home);
  });
});

Deno.test("a closed terminal stops a run, unless it is detached", async () => {
  await withSlowHome(async (home) => {
    const run = await startAt(home);
    run.kill("SIGHUP");
    const { status, out } = await run.ended();
    assert.equal(status, 75);
    assert.match(out, /"reason":"the terminal was closed"/);
    await resume(home);
  });
  await withSlowHome(async (home) => {
    const run = await startAt(home, "--detach");
    run.kill("SIGHUP");
    assert.equal((await run.ended()).status, 0);
    expectOneRestart(home);
  });
});

/** Moments at which a process is killed, from before anything was sent to right before the end. */
const moments: readonly RegExp[] = [
  /"step\.start","path":"workers\/cordon"/,
  /"step\.start","path":"workers\/restart"/,
  away,
  /"step\.done","path":"workers\/restart"/,
  /"step\.start","path":"workers\/uncordon"/,
  new RegExp(`"step\\.start","path":"workers/restart","node":"${second}"`),
];

for (const moment of moments) {
  Deno.test(`a run that is killed at ${moment.source} restarts each node once`, async () => {
    await withSlowHome(async (home) => {
      const file = await home.write(restarts);
      const run = startIn(home, ["runbook", "run", file, "-o", "jsonl"]);
      await run.tells(moment);
      run.kill("SIGKILL");
      assert.equal((await run.ended()).status, 137);
      assert.deepEqual(await listEnds(home), []);
      await resume(home);
      assert.deepEqual(await listEnds(home), ["succeeded"]);
    });
  });
}

Deno.test("a run continues when its output is not read any more", async () => {
  await withSlowHome(async (home) => {
    const run = await startAt(home);
    await run.close();
    await run.ended();
    assert.deepEqual(await listEnds(home), ["succeeded"]);
    expectOneRestart(home);
  });
});

/** Starts a run that has changed something and continues until it is stopped. */
async function resting(home: RunHome) {
  const text = runbook(`  - id: workers
    forEach: { nodes: workers }
    steps: [{ id: cordon, run: node.cordon }, { id: rest, sleep: 1h }]
`);
  const words = ["runbook", "run", await home.write(text), "-o", "jsonl"];
  const run = startIn(home, words);
  await run.tells(/"step\.start","path":"workers\/rest"/);
  return run;
}

/** Expects that single commands are refused because of the lock, on every machine. */
async function expectRefused(
  home: RunHome,
  id: string,
  commands: readonly string[],
): Promise<void> {
  const before = countBoots(home.cluster);
  for (const command of commands) {
    const line = `${command} --nodes ${findLast(home)}`;
    for (const where of ["", "elsewhere"]) {
      const OS_HOME = where === "" ? home.home : `${home.home}/${where}`;
      const { status, err } = await home.osctl(line, { env: { OS_HOME } });
      assert.equal(status, 8, err);
      assert.match(err, new RegExp(`A run has locked the cluster: ${id}.*S18`));
    }
  }
  assert.deepEqual(countBoots(home.cluster), before);
}

/** Reboots the last worker, with more flags. */
async function reboot(home: RunHome, flags = ""): Promise<void> {
  const line = `reboot --nodes ${findLast(home)}${flags}`;
  const before = countBoots(home.cluster);
  const { status, err } = await home.osctl(line);
  assert.equal(status, 0, err);
  const after = countBoots(home.cluster);
  assert.equal(after[second], (before[second] ?? 0) + 1);
}

function findLast({ cluster }: RunHome): string {
  return (cluster.nodes.at(-1) ?? assert.fail()).identity.address;
}

Deno.test("a killed run keeps its lock until it was resumed", async () => {
  await withSlowHome(async (home) => {
    const run = await resting(home);
    const [id = ""] = await home.ids();
    run.kill("SIGKILL");
    assert.equal((await run.ended()).status, 137);
    await expectRefused(home, id, ["reboot"]);
    const again = startIn(home, ["runbook", "resume", id, "-o", "jsonl"]);
    await again.tells(/"step\.start","path":"workers\/rest"/);
    again.kill("SIGINT");
    assert.equal((await again.ended()).status, 75);
    // Nodes may need a repair before it is resumed.
    await reboot(home);
  });
});

Deno.test("a killed run keeps its lock until it was aborted", async () => {
  await withSlowHome(async (home) => {
    const run = await resting(home);
    const [id = ""] = await home.ids();
    run.kill("SIGKILL");
    await run.ended();
    const { status, err } = await home.osctl(
      `reboot --nodes ${findLast(home)}`,
    );
    assert.equal(status, 8);
    assert.match(
      err,
      new RegExp(
        `resume ${id}\\nhint: Or abort it with: osctl runbook abort ${id} --reason`,
      ),
    );
    const aborted = await home.osctl(
      `runbook abort ${id} --reason gone --typed ${id}`,
    );
    assert.equal(aborted.status, 0, aborted.err);
    await reboot(home);
  });
});

Deno.test("two runs on a cluster at once are one too many: status 8", async () => {
  await withSlowHome(async (home) => {
    const run = await resting(home);
    const file = await home.write(quick, "other.runbook.yaml");
    const other = await home.osctl(["runbook", "run", file, "--yes"], { env });
    assert.equal(other.status, 8, other.err);
    assert.match(
      other.err,
      /Another run on this machine has locked the cluster/,
    );
    const far = await home.osctl(["runbook", "run", file, "--yes"], {
      env: { ...env, OS_HOME: `${home.home}/elsewhere` },
    });
    assert.equal(far.status, 8, far.err);
    const [id = ""] = await home.ids();
    const same = await home.osctl(["runbook", "resume", id], { env });
    assert.equal(same.status, 8, same.err);
    const all = ["reboot", "shutdown --yes", "reset --yes", "node drain"];
    await expectRefused(home, id, all);
    await reboot(home, " --allow cluster-lock");
    run.kill("SIGINT");
    assert.equal((await run.ended()).status, 75);
  });
});

Deno.test("a run is stopped from another terminal, and approved while it is stopped", async () => {
  await withSlowHome(async (home) => {
    const run = await resting(home);
    const [id = ""] = await home.ids();
    const stop = await home.osctl(["runbook", "stop", id], { env });
    assert.equal(stop.status, 0, stop.err);
    assert.equal((await run.ended()).status, 75);
  });
  await withSlowHome(async (home) => {
    const file = await home.write(quick);
    const asked = await startIn(home, ["runbook", "run", file]).ended();
    assert.equal(asked.status, 76);
    const [id = ""] = await home.ids();
    const words = ["runbook", "approve", id, "start"];
    const approved = await home.osctl(words, { env });
    assert.equal(approved.status, 0, approved.err);
    const { status, err } = await home.osctl(["runbook", "resume", id], {
      env,
    });
    assert.equal(status, 0, err);
  });
});

Deno.test({
  name:
    "a run continues when the disk of its events file is full, and says so once",
  ...needs(linux),
  async fn() {
    await withSlowHome(async (home) => {
      const file = await home.write(quick);
      const words = ["runbook", "run", file, "--yes", "--events-file"];
      const { status, err } = await startIn(home, [...words, "/dev/full"])
        .ended();
      assert.equal(status, 0, err);
      const warnings = err.match(/warning: events are no longer written/g);
      assert.equal(warnings?.length, 1, err);
    });
  },
});

Deno.test({
  name:
    "a run whose disk is full sends nothing more, and continues when there is room",
  ...needs(root, namespaces.mount),
  async fn() {
    await withSlowHome(async (home) => {
      const runs = `${home.home}/runs`;
      await Deno.mkdir(runs);
      await withDisk(runs, async (disk) => {
        const run = await startAt(home);
        await disk.fill();
        const { status, err } = await run.ended();
        assert.equal(status, 1, err);
        assert.match(
          err,
          /error: Cannot write the journal of the run: no space left on the disk\n/,
        );
        assert.match(err, /hint: Free disk space, then resume/);
        await disk.clear();
        const boots = Object.values(countBoots(home.cluster));
        assert.ok(boots.includes(1), `${boots}`);
        const again = await home.osctl("runbook resume", { env });
        assert.equal(again.status, 0, again.err);
        const [, ...workers] = Object.values(countBoots(home.cluster));
        assert.deepEqual(workers, [2, 2, 2, 2, 2]);
      });
    }, { workers: 5, pace: { bootMs: 50, stopMs: 50, downMs: 100 } });
  },
});

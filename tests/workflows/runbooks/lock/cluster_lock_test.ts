import assert from "node:assert/strict";
import { ConfigError } from "../../../../errors.ts";
import { takeLeases } from "../../../../simulator/faults/set_fault.ts";
import {
  type Kubernetes,
  openKubernetes,
} from "../../../../workflows/kubernetes/client.ts";
import { ClusterLock } from "../../../../workflows/runbooks/lock/cluster_lock.ts";
import { withCluster } from "../../../_cluster.ts";
import { linux, needs } from "../../../_needs.ts";
import { manualClock } from "../../../simulator/_clock.ts";
import { adminAccess } from "../../../simulator/kubernetes/_access.ts";
import { holdElsewhere } from "../_other_process.ts";
import { dead, type Run, type Scene, scene, sleeper } from "./_lock_runs.ts";
import {
  lockedError,
  lockExpiredError,
  lockTakenError,
  outdatedCopyError,
} from "../../../../workflows/runbooks/lock/holder.ts";

/** Lets time pass in steps, so that each renewal ends before the next. */
async function pass(
  { clock }: Scene,
  { hold }: Run,
  seconds: number,
): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 15) {
    await clock.advance(15_000);
    // Waits for the renewal; what it says is checked elsewhere.
    await hold.ensure();
  }
}

const noon = 1_772_366_400_000;

Deno.test("nothing is asked before the first change", () =>
  scene(async ({ clock, run, lease, requests }) => {
    const { hold, records } = run("a");
    await clock.advance(600_000);
    await hold.release(true);
    assert.deepEqual([records, requests], [[], []]);
    assert.equal(await lease(), undefined);
  }));

Deno.test("the first change takes the lock, with a claim", () =>
  scene(async ({ run, lease }) => {
    const { hold, records } = run("a");
    assert.equal(await hold.ensure(), undefined);
    assert.deepEqual(records, [{ state: "taken" }]);
    assert.deepEqual(await lease(), {
      holder: "a @ a@desk # 1 noon word1",
      renewedAt: noon,
      durationMs: 60_000,
      claim: "a",
      claimedBy: "a@desk",
      journals: new Map(),
    });
  }));

Deno.test("changes at the same time, and soon after, ask once", () =>
  scene(async ({ clock, run, requests }) => {
    const { hold, records } = run("a");
    await Promise.all([hold.ensure(), hold.ensure(), hold.ensure()]);
    await clock.advance(14_999);
    await hold.ensure();
    assert.deepEqual(requests, ["GET", "POST"]);
    assert.deepEqual(records, [{ state: "taken" }]);
  }));

Deno.test("a lock is renewed every 15 s, and that is not written down", () =>
  scene(async (all) => {
    const one = all.run("a");
    await one.hold.ensure();
    await pass(all, one, 45);
    assert.equal((await all.lease())?.renewedAt, noon + 45_000);
    assert.deepEqual(one.records, [{ state: "taken" }]);
    assert.equal(all.requests.join(" "), "GET POST GET PUT GET PUT GET PUT");
  }));

Deno.test("a lock that is given back keeps its claim until the run has finished", () =>
  scene(async ({ clock, run, lease, requests }) => {
    const first = run("a");
    await first.hold.ensure();
    await first.hold.release(false);
    const nobody = {
      holder: "",
      renewedAt: noon,
      durationMs: 60_000,
      journals: new Map(),
    };
    assert.deepEqual(await lease(), {
      ...nobody,
      claim: "a",
      claimedBy: "a@desk",
    });
    assert.deepEqual(first.records, [{ state: "taken" }, { state: "claimed" }]);
    const second = run("a");
    await second.hold.look();
    await second.hold.ensure();
    await second.hold.release(true);
    assert.deepEqual(await lease(), { ...nobody, claim: "", claimedBy: "" });
    const [, last] = second.records;
    assert.deepEqual(last, { state: "released" });
    const before = requests.length;
    await clock.advance(60_000);
    assert.equal(requests.length, before);
  }));

Deno.test("a run that finishes without a change takes away the claim of its earlier process", () =>
  scene(async ({ run, lease }) => {
    const first = run("a");
    await first.hold.ensure();
    await first.hold.release(false);
    const second = run("a", { claimed: true });
    await second.hold.release(false);
    assert.equal((await lease())?.claim, "a");
    await second.hold.release(true);
    assert.equal((await lease())?.claim, "");
    assert.deepEqual(second.records, [{ state: "released" }]);
  }));

Deno.test("another run is refused while the lock is fresh, and later by the claim", () =>
  scene(async ({ clock, run, requests }) => {
    await run("a").hold.ensure();
    const claimed = {
      name: "LockedError",
      status: 8,
      message: 'Run "a" of a@desk is unfinished on this cluster',
      hint: "Resume it where it was started: osctl runbook resume a",
      alternatives: [
        'If that is impossible: osctl runbook unlock a --reason "…"',
      ],
    };
    await assert.rejects(run("b").hold.look(), claimed);
    await assert.rejects(run("b").hold.ensure(), claimed);
    const held = {
      name: "LockedError",
      status: 8,
      message:
        "Another run has locked the cluster: a @ a@desk, process 1 since noon",
      hint: "Wait for it, or check it with: osctl runbook status",
    };
    const other = run("b", { supersede: "a" });
    await assert.rejects(other.hold.look(), held);
    await assert.rejects(other.hold.ensure(), held);
    assert.deepEqual(other.records, []);
    assert.equal(requests.includes("PUT"), false);
    await clock.advance(0);
  }));

Deno.test("a run takes the place of one whose process is gone for a minute", () =>
  scene(async (all) => {
    const { clock, run, lease } = all;
    await run("a", dead(all)).hold.ensure();
    await clock.advance(59_999);
    const early = run("b", { supersede: "a" });
    await assert.rejects(early.hold.look(), { name: "LockedError" });
    await clock.advance(1);
    const { slept, clock: own } = sleeper(all);
    const other = run("b", { supersede: "a", clock: own });
    await other.hold.look();
    assert.equal(await other.hold.ensure(), undefined);
    assert.deepEqual(slept, Array(12).fill(5_000));
    assert.deepEqual(other.notes, [
      "Waiting up to 60 s for the lock of a process that was killed: a @ a@desk, process 1 since noon",
    ]);
    const { holder, claim } = await lease() ?? {};
    assert.deepEqual([holder, claim], ["b @ b@desk # 3 noon word3", "b"]);
    await assert.rejects(run("c", { supersede: "a" }).hold.look(), {
      message: 'Run "b" of b@desk is unfinished on this cluster',
    });
  }));

Deno.test({
  name:
    "a run takes the place of a process of this machine at once when that was killed, and not before",
  // Elsewhere processes are not seen.
  ...needs(linux),
  fn: () =>
    scene(async (all) => {
      const { run, lease } = all;
      const other = await holdElsewhere();
      const killed = { ...dead(all), process: other.process };
      await run("a", killed).hold.ensure();
      const held = { name: "LockedError", status: 8 };
      const early = run("b", { supersede: "a" });
      await assert.rejects(early.hold.look(), held);
      const { slept, clock } = sleeper(all);
      const resumed = run("a", { clock });
      await other.kill();
      await resumed.hold.look();
      assert.equal(await resumed.hold.ensure(), undefined);
      assert.deepEqual([slept, resumed.notes], [[], []]);
      const { holder } = await lease() ?? {};
      assert.equal(holder, "a @ a@desk # 3 noon word3");
    }),
});

Deno.test("of two runs that begin at the same time one is informed of the other", () =>
  scene(async ({ run, lease, kubernetes }) => {
    const both = Promise.withResolvers<void>();
    let reads = 0;
    const racing: Kubernetes = {
      ...kubernetes,
      async request(path, options) {
        const isRead = options.method === undefined;
        // Nobody writes before both have read.
        if (!isRead) await both.promise;
        return await kubernetes.request(path, options).finally(() => {
          if (isRead && ++reads === 2) both.resolve();
        });
      },
    };
    const more = { kubernetes: () => Promise.resolve(racing) };
    const runs = [run("a", more), run("b", more)];
    const ends = await Promise.allSettled(
      runs.map(({ hold }) => hold.ensure()),
    );
    const states = ends.map(({ status }) => status);
    assert.deepEqual(states.toSorted(), ["fulfilled", "rejected"]);
    const lost = states.indexOf("rejected");
    const winner = lost === 0 ? "b" : "a";
    assert.deepEqual(runs[lost]?.records, []);
    assert.equal((await lease())?.claim, winner);
    const { reason } = ends[lost] as PromiseRejectedResult; // it is one
    assert.match(reason.message, new RegExp(`^Run "${winner}" of ${winner}@`));
  }));

Deno.test("a run that another user takes the lock from changes nothing more", () =>
  scene(async (all) => {
    const { cluster, clock, run, lease } = all;
    const one = run("a");
    await one.hold.ensure();
    takeLeases(cluster.kubernetes, clock.now());
    assert.equal(await one.hold.ensure(), undefined);
    const reason =
      'Run "a" has lost its lock on the cluster: elsewhere holds it';
    await clock.advance(15_000);
    await assert.rejects(one.hold.ensure(), { message: reason });
    assert.deepEqual(one.records, [{ state: "taken" }, {
      state: "lost",
      reason,
    }]);
    // Whatever it was taken for: what was done meanwhile is not supported.
    await clock.advance(600_000);
    await assert.rejects(one.hold.ensure(), { message: reason });
    assert.equal((await lease())?.holder, "elsewhere");
    assert.equal(one.records.length, 2);
  }));

Deno.test("cluster lock: a lock of another holder is not released", () =>
  scene(async (all) => {
    const { cluster, clock, run, lease } = all;
    const one = run("a");
    await one.hold.ensure();
    takeLeases(cluster.kubernetes, clock.now());
    await one.hold.release(true);
    const left = await lease();
    assert.deepEqual([left?.holder, left?.claim], ["elsewhere", ""]);
    const { clock: own } = sleeper(all);
    const other = run("b", { supersede: "a", clock: own });
    await clock.advance(60_000);
    await other.hold.ensure();
    await one.hold.release(true);
    assert.equal((await lease())?.claim, "b");
  }));

Deno.test("a lock that cannot be renewed is lost after half of its time, and found again", () =>
  scene(async (all) => {
    const { clock, run, away } = all;
    const one = run("a");
    await one.hold.ensure();
    away(true);
    await pass(all, one, 30);
    assert.deepEqual(one.records, [{ state: "taken" }]);
    assert.equal(await one.hold.ensure(), undefined);
    await clock.advance(1);
    assert.equal(
      await one.hold.ensure(),
      "the run has lost its lock on the cluster: no answer",
    );
    await pass(all, one, 45);
    away(false);
    assert.equal(await one.hold.ensure(), undefined);
    assert.deepEqual(one.records, [
      { state: "taken" },
      { state: "lost", reason: "no answer" },
      { state: "taken" },
    ]);
    assert.deepEqual(one.notes, []);
  }));

Deno.test("a lock whose server is gone is lost, and its end is reported", () =>
  withCluster({}, async (cluster) => {
    using kubernetes = openKubernetes(await adminAccess(cluster));
    const clock = manualClock();
    const notes: string[] = [];
    const hold = new ClusterLock({
      kubernetes: () => Promise.resolve(kubernetes),
      run: "a",
      operator: "a@desk",
      clock,
      needed: true,
      record: () => Promise.resolve(),
      note: (text) => notes.push(text),
    });
    await hold.ensure();
    await cluster.stop();
    await clock.advance(30_001);
    assert.match(
      await hold.ensure() ?? "",
      /^the run has lost its lock on the cluster: Cannot reach Kubernetes at https:/,
    );
    await hold.release(true);
    assert.match(
      notes.join(),
      /^The lock on the cluster could not be released: Cannot reach/,
    );
  }));

Deno.test("without Kubernetes a run that does not need it continues, and says so once", () =>
  scene(async ({ run, lease, away }) => {
    away(true);
    const { hold, records, notes } = run("a");
    await hold.look();
    assert.equal(await hold.ensure(), undefined);
    assert.deepEqual(records, [{ state: "without", reason: "no answer" }]);
    assert.deepEqual(notes, [
      "Kubernetes does not answer, so other machines cannot see the lock of this run: no answer",
    ]);
    assert.equal(await hold.ensure(), undefined);
    await hold.confirm();
    assert.equal(await hold.elsewhere(), undefined);
    await hold.release(true);
    away(false);
    assert.equal(await lease(), undefined);
    assert.deepEqual([records.length, notes.length], [1, 1]);
  }));

Deno.test("without Kubernetes a run that needs it changes nothing", () =>
  scene(async ({ run, away }) => {
    away(true);
    const { hold, records } = run("a", { needed: true });
    assert.equal(
      await hold.ensure(),
      "cannot lock the cluster: no answer",
    );
    assert.deepEqual(records, []);
    away(false);
    assert.equal(await hold.ensure(), undefined);
    assert.deepEqual(records, [{ state: "taken" }]);
  }));

Deno.test("cluster lock: a change ends if its record cannot be written", () =>
  scene(async ({ run }) => {
    const full = new ConfigError("Cannot write the journal of the run");
    const { hold } = run("a", { record: () => Promise.reject(full) });
    await assert.rejects(hold.ensure(), full);
  }));

Deno.test("a programming error is raised wherever it happens", () =>
  scene(async ({ run }) => {
    const bug = new TypeError("no such thing");
    const kubernetes = () => Promise.reject(bug);
    const { hold } = run("a", { kubernetes, claimed: true });
    await assert.rejects(hold.look(), bug);
    await assert.rejects(hold.ensure(), bug);
    await assert.rejects(hold.release(true), bug);
  }));

const holder = "a @ eve@desk # 7 noon secret";

Deno.test("a refusal names who has the cluster, and never the word only it knows", () => {
  const texts = [
    lockedError({ holder }, "a"),
    lockedError({ holder }, "b"),
    lockTakenError({ holder }, "a"),
    outdatedCopyError({ claim: "a", claimedBy: "eve@desk" }, "a"),
  ].map(({ message, status }) => `${status} ${message}`);
  assert.deepEqual(texts, [
    '8 Run "a" is running in another process: a @ eve@desk, process 7 since noon',
    "8 Another run has locked the cluster: a @ eve@desk, process 7 since noon",
    '8 Run "a" has lost its lock on the cluster: a @ eve@desk, process 7 since noon holds it',
    '5 This is an old copy of run "a": it was continued by eve@desk after this journal was copied',
  ]);
});

Deno.test("a lock that ran out says why", () => {
  assert.equal(
    lockExpiredError("no answer").message,
    "The lock on the cluster could not be renewed in time: no answer",
  );
});

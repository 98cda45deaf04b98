import assert from "node:assert/strict";
import { ConfigError } from "../../../../errors.ts";
import { takeLeases } from "../../../../simulator/kubernetes/take_leases.ts";
import {
  type Kubernetes,
  openKubernetes,
} from "../../../../workflows/kubernetes/client.ts";
import { removeClaim } from "../../../../workflows/runbooks/hold/claim.ts";
import { createHold } from "../../../../workflows/runbooks/hold/cluster_hold.ts";
import { withCluster } from "../../../_cluster.ts";
import { manualClock } from "../../../simulator/_clock.ts";
import { adminAccess } from "../../../simulator/kubernetes/_access.ts";
import { type Run, type Scene, scene } from "./_scene.ts";

/** Lets time pass in steps, so that each renewal ends before the next. */
async function pass(
  { clock }: Scene,
  { hold }: Run,
  seconds: number,
): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 15) {
    await clock.advance(15_000);
    // Waits for the renewal; what it says is looked at elsewhere.
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

Deno.test("the first change takes the hold, with a claim", () =>
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

Deno.test("a hold is renewed every 15 s, and that is not written down", () =>
  scene(async (all) => {
    const one = all.run("a");
    await one.hold.ensure();
    await pass(all, one, 45);
    assert.equal((await all.lease())?.renewedAt, noon + 45_000);
    assert.deepEqual(one.records, [{ state: "taken" }]);
    assert.equal(all.requests.join(" "), "GET POST GET PUT GET PUT GET PUT");
  }));

Deno.test("a hold that is given back keeps its claim until the run has finished", () =>
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

Deno.test("another run is refused while the hold is fresh, and later by the claim", () =>
  scene(async ({ clock, run, requests }) => {
    await run("a").hold.ensure();
    const claimed = {
      name: "HeldError",
      status: 8,
      message:
        'Run "a" of a@desk has begun something on the cluster and not ended',
      hint:
        "Go on where it was begun: osctl runbook resume a; if nobody can: osctl runbook unlock",
    };
    await assert.rejects(run("b").hold.look(), claimed);
    await assert.rejects(run("b").hold.ensure(), claimed);
    const held = {
      name: "HeldError",
      status: 8,
      message:
        "Another run holds the cluster: a @ a@desk, process 1 since noon",
      hint: "Wait for it, or look at it with: osctl runbook status",
    };
    const other = run("b", { supersede: "a" });
    await assert.rejects(other.hold.look(), held);
    await assert.rejects(other.hold.ensure(), held);
    assert.deepEqual(other.records, []);
    assert.equal(requests.includes("PUT"), false);
    await clock.advance(0);
  }));

/** A process that died: it renews nothing. */
const dead = ({ clock }: Scene) => ({
  clock: { now: clock.now, sleep: () => new Promise<void>(() => {}) },
});

/** Lets time pass whenever a process sleeps; what others do meanwhile comes first. */
function sleeper(
  { clock }: Scene,
  { skewMs = 0, meanwhile = () => Promise.resolve<unknown>(undefined) } = {},
) {
  const slept: number[] = [];
  return {
    slept,
    clock: {
      now: () => clock.now() + skewMs,
      async sleep(ms: number) {
        // What renews beside the test is none of it.
        if (ms === 15_000) return await new Promise<void>(() => {});
        slept.push(ms);
        await clock.advance(ms);
        await meanwhile();
      },
    },
  };
}

Deno.test("a run takes the place of one whose process is gone for a minute", () =>
  scene(async (all) => {
    const { clock, run, lease } = all;
    await run("a", dead(all)).hold.ensure();
    await clock.advance(59_999);
    const early = run("b", { supersede: "a" });
    await assert.rejects(early.hold.look(), { name: "HeldError" });
    await clock.advance(1);
    const { slept, clock: own } = sleeper(all);
    const other = run("b", { supersede: "a", clock: own });
    await other.hold.look();
    assert.equal(await other.hold.ensure(), undefined);
    assert.deepEqual(slept, Array(12).fill(5_000));
    assert.deepEqual(other.notes, [
      "a @ a@desk, process 1 since noon held the cluster last: if it does not renew that within 60 s, it is gone",
    ]);
    const { holder, claim } = await lease() ?? {};
    assert.deepEqual([holder, claim], ["b @ b@desk # 3 noon word3", "b"]);
    await assert.rejects(run("c", { supersede: "a" }).hold.look(), {
      message:
        'Run "b" of b@desk has begun something on the cluster and not ended',
    });
  }));

for (const skewMs of [-3_600_000, 0, 3_600_000]) {
  Deno.test(`a copy of a run is refused while another process has it, whose clock is ${skewMs} ms off`, () =>
    scene(async (all) => {
      const { run, lease, requests } = all;
      const one = run("a");
      await one.hold.ensure();
      const { clock: own, slept } = sleeper(all, {
        skewMs,
        meanwhile: one.hold.ensure,
      });
      const copy = run("a", { clock: own });
      const before = requests.length;
      const held = {
        name: "HeldError",
        status: 8,
        message:
          'Run "a" goes on in another process: a @ a@desk, process 1 since noon',
      };
      await assert.rejects(copy.hold.look(), held);
      await assert.rejects(copy.hold.ensure(), held);
      assert.equal(copy.hold.isTaken(), true);
      // It was seen to renew itself each time.
      assert.ok(slept.length <= 8, String(slept));
      assert.ok(!requests.slice(before).includes("POST"));
      await one.hold.confirm();
      assert.equal((await lease())?.holder, "a @ a@desk # 1 noon word1");
      await copy.hold.release(true);
      assert.equal((await lease())?.claim, "a");
    }));

  Deno.test(`a copy of a run goes on when its process has not renewed its hold for a minute, whose clock is ${skewMs} ms off`, () =>
    scene(async (all) => {
      const { run, lease } = all;
      await run("a", dead(all)).hold.ensure();
      const { clock: own, slept } = sleeper(all, { skewMs });
      const copy = run("a", { clock: own });
      await copy.hold.look();
      assert.deepEqual(slept, Array(12).fill(5_000));
      // It was waited for once.
      assert.equal(await copy.hold.ensure(), undefined);
      assert.equal(slept.length, 12);
      assert.equal((await lease())?.holder, "a @ a@desk # 2 noon word2");
    }));
}

Deno.test("what a process that is gone said of its time counts, not what the next one would", () =>
  scene(async (all) => {
    const { run } = all;
    await run("a", { ...dead(all), lastsMs: 2_000 }).hold.ensure();
    const { clock: own, slept } = sleeper(all);
    await run("a", { clock: own }).hold.look();
    assert.deepEqual(slept, Array(4).fill(500));
  }));

Deno.test("a process that waits for another one ends that with its run", () =>
  scene(async (all) => {
    await all.run("a", dead(all)).hold.ensure();
    const stop = new AbortController();
    const { clock: own, slept } = sleeper(all, {
      meanwhile: () => Promise.resolve(stop.abort()),
    });
    const copy = all.run("a", { clock: own, signal: stop.signal });
    await copy.hold.look();
    assert.deepEqual(slept, [5_000]);
    await assert.rejects(copy.hold.ensure(), { name: "HeldError" });
  }));

Deno.test("a process that was stopped for longer than its hold changes nothing more once another one goes on", () =>
  scene(async (all) => {
    const { run, lease } = all;
    const paused = run("a", dead(all));
    await paused.hold.ensure();
    await paused.hold.confirm();
    const { clock: own } = sleeper(all);
    const copy = run("a", { clock: own });
    await copy.hold.ensure();
    const lost = {
      name: "HeldError",
      status: 8,
      message:
        'Run "a" has lost its hold on the cluster: a @ a@desk, process 2 since noon has it',
    };
    await assert.rejects(paused.hold.confirm(), lost);
    await assert.rejects(paused.hold.ensure(), lost);
    assert.equal(paused.hold.isTaken(), true);
    await paused.hold.release(true);
    assert.equal((await lease())?.holder, "a @ a@desk # 2 noon word2");
    // Nor when the other one has ended: what it has done is not known here.
    await copy.hold.release(true);
    await assert.rejects(paused.hold.confirm(), lost);
    assert.deepEqual(paused.records.map(({ state }) => state), [
      "taken",
      "lost",
    ]);
  }));

Deno.test("a hold that was removed by hand is lost", () =>
  scene(async ({ run, kubernetes, lease }) => {
    const one = run("a");
    await one.hold.ensure();
    const sender = { by: "eve@desk", at: "2026-03-01T12:00:00.000Z" };
    const { signal } = new AbortController();
    assert.equal(await removeClaim(kubernetes, "a", sender, signal), true);
    await assert.rejects(one.hold.confirm(), {
      message:
        'Run "a" has lost its hold on the cluster: it was removed, or another process had it',
    });
    await one.hold.release(false);
    assert.equal((await lease())?.claim, "");
  }));

Deno.test("directly before a change the hold is renewed, for all that wait for it at once", () =>
  scene(async ({ clock, run, lease, requests }) => {
    const { hold, records } = run("a");
    await hold.confirm();
    assert.deepEqual(requests, []);
    await hold.ensure();
    await clock.advance(1_000);
    await Promise.all([hold.confirm(), hold.confirm(), hold.confirm()]);
    assert.deepEqual(requests, ["GET", "POST", "GET", "PUT"]);
    assert.equal((await lease())?.renewedAt, noon + 1_000);
    await hold.confirm();
    assert.equal(requests.length, 6);
    assert.deepEqual(records, [{ state: "taken" }]);
  }));

Deno.test("a server that answers again in time loses no change, and one that does not ends it", () =>
  scene(async (all) => {
    const { run, away } = all;
    let tries = 0;
    const { clock: own, slept } = sleeper(all, {
      meanwhile: () => Promise.resolve(++tries === 3 && away(false)),
    });
    const one = run("a", { clock: own });
    await one.hold.ensure();
    away(true);
    await one.hold.confirm();
    assert.deepEqual(slept, Array(3).fill(1_000));
    away(true);
    await assert.rejects(one.hold.confirm(), {
      name: "HeldError",
      message:
        "The hold on the cluster could not be renewed in time: Nobody answers",
    });
    assert.equal(slept.length, 3 + 31);
    assert.equal(one.hold.isTaken(), false);
    away(false);
    await one.hold.confirm();
    assert.deepEqual(one.records.map(({ state }) => state), [
      "taken",
      "lost",
      "taken",
    ]);
  }));

Deno.test("a run that has taken away what its hold is kept in goes on without it", () =>
  scene(async ({ run, away }) => {
    let isGone = false;
    const one = run("a", { excused: () => isGone });
    await one.hold.ensure();
    [isGone] = [true];
    await one.hold.confirm();
    assert.equal(one.records.length, 1);
    away(true);
    await one.hold.confirm();
    assert.equal(await one.hold.ensure(), undefined);
    assert.deepEqual(one.records.slice(1), [
      { state: "without", reason: "Nobody answers" },
    ]);
    away(false);
  }));

Deno.test("an old copy of a run does not go on, until its claim is removed", () =>
  scene(async ({ run, kubernetes, lease }) => {
    const end = { seq: 37, checksum: "0a1b2c3d" };
    const journal = { end: () => end, includes: () => true };
    const one = run("a", { journal });
    await one.hold.ensure();
    await one.hold.release(false);
    assert.deepEqual((await lease())?.journals, new Map([["a", end]]));
    const asked: unknown[] = [];
    const old = {
      end: () => ({ seq: 9, checksum: "99999999" }),
      includes: (one: unknown) => (asked.push(one), false),
    };
    const refused = {
      name: "RefusedError",
      status: 5,
      message:
        'This is an old copy of run "a": it was continued by a@desk since this journal was written',
      hint:
        "Resume it there; if that copy is lost, look at the nodes, then: osctl runbook unlock a",
    };
    await assert.rejects(run("a", { journal: old }).hold.look(), refused);
    await assert.rejects(run("a", { journal: old }).hold.ensure(), refused);
    assert.deepEqual(asked, [end, end]);
    const other = run("a", { journal });
    await other.hold.ensure();
    await other.hold.release(true);
    // What has ended is remembered, too.
    await assert.rejects(run("a", { journal: old }).hold.look(), {
      message:
        'This is an old copy of run "a": it was continued and ended elsewhere since this journal was written',
    });
    const next = run("b", { journal });
    await next.hold.ensure();
    await next.hold.release(true);
    assert.deepEqual([...(await lease())?.journals.keys() ?? []], ["b", "a"]);
    const sender = { by: "eve@desk", at: "2026-03-01T12:00:00.000Z" };
    const { signal } = new AbortController();
    const third = run("a", { journal });
    await third.hold.ensure();
    await removeClaim(kubernetes, "a", sender, signal);
    await run("a", { journal: old }).hold.look();
  }));

Deno.test("the claim of a run that has ended is none", () =>
  scene(async ({ run, lease }) => {
    const first = run("a");
    await first.hold.ensure();
    await first.hold.release(false);
    const asked: string[] = [];
    const hasEnded = (run: string) => Promise.resolve(asked.push(run) > 0);
    const other = run("b", { hasEnded });
    await other.hold.look();
    await other.hold.ensure();
    assert.deepEqual(asked, ["a", "a"]);
    assert.equal((await lease())?.claim, "b");
  }));

Deno.test("a run that takes the place of another one and changes nothing removes its claim", () =>
  scene(async ({ run, lease }) => {
    const first = run("a");
    await first.hold.ensure();
    await first.hold.release(false);
    const next = run("b", { supersede: "a" });
    await next.hold.release(false);
    assert.equal((await lease())?.claim, "");
    assert.deepEqual(next.records, []);
    await run("c").hold.look();
  }));

Deno.test("of two runs that begin at the same time one is told of the other", () =>
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

Deno.test("a run that somebody else takes the hold from changes nothing more", () =>
  scene(async (all) => {
    const { cluster, clock, run, lease } = all;
    const one = run("a");
    await one.hold.ensure();
    takeLeases(cluster.kubernetes, clock.now());
    assert.equal(await one.hold.ensure(), undefined);
    const reason = 'Run "a" has lost its hold on the cluster: elsewhere has it';
    await clock.advance(15_000);
    await assert.rejects(one.hold.ensure(), { message: reason });
    assert.deepEqual(one.records, [{ state: "taken" }, {
      state: "lost",
      reason,
    }]);
    // Whatever it was taken for: what was done meanwhile is not known here.
    await clock.advance(600_000);
    await assert.rejects(one.hold.ensure(), { message: reason });
    assert.equal((await lease())?.holder, "elsewhere");
    assert.equal(one.records.length, 2);
  }));

Deno.test("what somebody else holds is not given back", () =>
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

Deno.test("a hold that cannot be renewed is lost after half of its time, and found again", () =>
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
      "the hold on the cluster is lost: Nobody answers",
    );
    await pass(all, one, 45);
    away(false);
    assert.equal(await one.hold.ensure(), undefined);
    assert.deepEqual(one.records, [
      { state: "taken" },
      { state: "lost", reason: "Nobody answers" },
      { state: "taken" },
    ]);
    assert.deepEqual(one.notes, []);
  }));

Deno.test("a hold whose server is gone is lost, and its end is told", () =>
  withCluster({}, async (cluster) => {
    using kubernetes = openKubernetes(await adminAccess(cluster));
    const clock = manualClock();
    const notes: string[] = [];
    const hold = createHold({
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
      /^the hold on the cluster is lost: Cannot reach Kubernetes at https:/,
    );
    await hold.release(true);
    assert.match(
      notes.join(),
      /^The hold on the cluster could not be given back: Cannot reach/,
    );
  }));

Deno.test("without Kubernetes a run that does not need it goes on, and says so once", () =>
  scene(async ({ run, lease, away }) => {
    away(true);
    const { hold, records, notes } = run("a");
    await hold.look();
    assert.equal(await hold.ensure(), undefined);
    assert.deepEqual(records, [{ state: "without", reason: "Nobody answers" }]);
    assert.deepEqual(notes, [
      "Kubernetes does not answer, so nobody on another machine sees this run: Nobody answers",
    ]);
    away(false);
    assert.equal(await hold.ensure(), undefined);
    await hold.release(true);
    assert.equal(await lease(), undefined);
    assert.deepEqual([records.length, notes.length], [1, 1]);
  }));

Deno.test("without Kubernetes a run that needs it changes nothing", () =>
  scene(async ({ run, away }) => {
    away(true);
    const { hold, records } = run("a", { needed: true });
    assert.equal(
      await hold.ensure(),
      "the hold on the cluster cannot be taken: Nobody answers",
    );
    assert.deepEqual(records, []);
    away(false);
    assert.equal(await hold.ensure(), undefined);
    assert.deepEqual(records, [{ state: "taken" }]);
  }));

Deno.test("what cannot be written down ends the change", () =>
  scene(async ({ run }) => {
    const full = new ConfigError("Cannot write the journal of the run");
    const { hold } = run("a", { record: () => Promise.reject(full) });
    await assert.rejects(hold.ensure(), full);
  }));

Deno.test("a mistake of the program is raised wherever it happens", () =>
  scene(async ({ run }) => {
    const bug = new TypeError("no such thing");
    const kubernetes = () => Promise.reject(bug);
    const { hold } = run("a", { kubernetes, claimed: true });
    await assert.rejects(hold.look(), bug);
    await assert.rejects(hold.ensure(), bug);
    await assert.rejects(hold.release(true), bug);
  }));

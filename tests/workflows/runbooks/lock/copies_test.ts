import assert from "node:assert/strict";
import type { Kubernetes } from "../../../../workflows/kubernetes/client.ts";
import { removeClaim } from "../../../../workflows/runbooks/lock/claim.ts";
import { dead, type Run, scene, sleeper } from "./_lock_runs.ts";

const noon = 1_772_366_400_000;

for (const skewMs of [-3_600_000, 0, 3_600_000]) {
  Deno.test(`a copy of a run is refused while another process has it, whose clock is ${skewMs} ms off`, () =>
    scene(async (all) => {
      const { run, lease, requests } = all;
      const one = run("a");
      await one.hold.ensure();
      const { clock: own, slept } = sleeper(all, {
        skewMs,
        meanwhile: () => one.hold.ensure(),
      });
      const copy = run("a", { clock: own });
      const before = requests.length;
      const held = {
        name: "LockedError",
        status: 8,
        message:
          'Run "a" is running in another process: a @ a@desk, process 1 since noon',
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

  Deno.test(`a copy of a run continues when its process has not renewed its lock for a minute, whose clock is ${skewMs} ms off`, () =>
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

Deno.test("copies: the lease duration of the dead process counts, not that of the next", () =>
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
    await assert.rejects(copy.hold.ensure(), { name: "LockedError" });
  }));

Deno.test("a process that was stopped for longer than its lock changes nothing more once another one continues", () =>
  scene(async (all) => {
    const { run, lease } = all;
    const paused = run("a", dead(all));
    await paused.hold.ensure();
    await paused.hold.confirm();
    const { clock: own } = sleeper(all);
    const copy = run("a", { clock: own });
    await copy.hold.ensure();
    const lost = {
      name: "LockedError",
      status: 8,
      message:
        'Run "a" has lost its lock on the cluster: a @ a@desk, process 2 since noon holds it',
    };
    await assert.rejects(paused.hold.confirm(), lost);
    await assert.rejects(paused.hold.ensure(), lost);
    assert.equal(paused.hold.isTaken(), true);
    await paused.hold.release(true);
    assert.equal((await lease())?.holder, "a @ a@desk # 2 noon word2");
    // Nor when the other one has ended: what it has done is not supported.
    await copy.hold.release(true);
    await assert.rejects(paused.hold.confirm(), lost);
    assert.deepEqual(paused.records.map(({ state }) => state), [
      "taken",
      "lost",
    ]);
  }));

Deno.test("of copies that have waited for a process that is gone the first takes its place at once, and the next waits again", () =>
  scene(async (all) => {
    const { run, lease, requests } = all;
    await run("a", dead(all)).hold.ensure();
    const first = run("a", sleeper(all));
    const { clock, slept } = sleeper(all, {
      meanwhile: () => first.hold.confirm(),
    });
    const second = run("a", { clock });
    await Promise.all([first.hold.look(), second.hold.look()]);
    assert.deepEqual(slept, Array(12).fill(5_000));
    await first.hold.reclaim();
    assert.equal((await lease())?.holder, "a @ a@desk # 2 noon word2");
    const before = requests.length;
    await assert.rejects(second.hold.reclaim(), {
      name: "LockedError",
      status: 8,
      message:
        'Run "a" is running in another process: a @ a@desk, process 2 since noon',
    });
    assert.equal(slept.length, 13);
    assert.equal(second.hold.isTaken(), true);
    // Its look, the renewal of the first, and the look at that.
    assert.deepEqual(requests.slice(before), ["GET", "GET", "PUT", "GET"]);
    assert.deepEqual(second.records, []);
    assert.deepEqual(
      second.notes.map((note) => note.split(" that was killed: ")[1]),
      ["a @ a@desk, process 1 since noon", "a @ a@desk, process 2 since noon"],
    );
    const error = await second.hold.elsewhere();
    assert.match(error?.message ?? "", /^Run "a" is running in another/);
  }));

Deno.test("of copies that take a free claim up at the same time one does", () =>
  scene(async (all) => {
    const { run, lease, kubernetes } = all;
    const startedAt = run("a");
    await startedAt.hold.ensure();
    await startedAt.hold.release(false);
    const both = Promise.withResolvers<void>();
    let writes = 0;
    const racing: Kubernetes = {
      ...kubernetes,
      async request(path, options) {
        // Neither writes before both want to.
        if (options.method === "PUT" && ++writes === 2) both.resolve();
        if (options.method === "PUT") await both.promise;
        return await kubernetes.request(path, options);
      },
    };
    const copies: Run[] = [];
    const renewed = () =>
      Promise.all(copies.map(({ hold }) => hold.confirm().catch(() => {})));
    for (let number = 0; number < 2; number++) {
      copies.push(run("a", {
        kubernetes: () => Promise.resolve(racing),
        ...sleeper(all, { meanwhile: renewed }),
      }));
    }
    for (const { hold } of copies) await hold.look();
    const ends = await Promise.allSettled(
      copies.map(({ hold }) => hold.reclaim()),
    );
    const states = ends.map(({ status }) => status);
    assert.deepEqual(states.toSorted(), ["fulfilled", "rejected"]);
    const winner = states.indexOf("fulfilled");
    const number = winner + 2;
    assert.equal(
      (await lease())?.holder,
      `a @ a@desk # ${number} noon word${number}`,
    );
    const { reason } = ends[1 - winner] as PromiseRejectedResult; // it is one
    assert.match(
      reason.message,
      new RegExp(
        `is running in another process: a @ a@desk, process ${number}`,
      ),
    );
  }));

Deno.test("a run that has changed nothing takes nothing up, nor one without Kubernetes or whose wait was ended", () =>
  scene(async (all) => {
    const { run, away, lease } = all;
    const fresh = run("a");
    await fresh.hold.look();
    await fresh.hold.reclaim();
    assert.equal(await lease(), undefined);
    const startedAt = run("a", dead(all));
    await startedAt.hold.ensure();
    const stop = new AbortController();
    const stopped = run("a", {
      signal: stop.signal,
      ...sleeper(all, { meanwhile: () => Promise.resolve(stop.abort()) }),
    });
    await stopped.hold.look();
    await stopped.hold.reclaim();
    away(true);
    const late = run("a");
    await late.hold.look();
    away(false);
    await late.hold.reclaim();
    assert.equal((await lease())?.holder, "a @ a@desk # 2 noon word2");
    assert.deepEqual([stopped.records, late.records], [[], []]);
  }));

Deno.test("copies: the final holder of the lock is read at the end", () =>
  scene(async (all) => {
    const { run, away } = all;
    const nobody = run("a");
    await nobody.hold.look();
    assert.equal(await nobody.hold.elsewhere(), undefined);
    const end = { seq: 37, checksum: "0a1b2c3d" };
    const one = run("a", {
      ...dead(all),
      journal: { end: () => end, includes: () => true },
    });
    await one.hold.ensure();
    assert.equal(await one.hold.elsewhere(), undefined);
    const seen = await nobody.hold.elsewhere();
    assert.deepEqual([seen?.name, seen?.message, nobody.hold.isTaken()], [
      "LockedError",
      'Run "a" is running in another process: a @ a@desk, process 2 since noon',
      true,
    ]);
    // A first reading cannot tell whether the other process is alive.
    assert.equal(await run("a").hold.elsewhere(), undefined);
    const copy = run("a", sleeper(all));
    await copy.hold.look();
    assert.equal(await copy.hold.elsewhere(), undefined);
    await copy.hold.reclaim();
    const lost = await one.hold.elsewhere();
    assert.equal(
      lost?.message,
      'Run "a" has lost its lock on the cluster: a @ a@desk, process 4 since noon holds it',
    );
    assert.equal(one.hold.isTaken(), true);
    const old = run("a", {
      journal: {
        end: () => ({ seq: 9, checksum: "99999999" }),
        includes: () => false,
      },
    });
    away(true);
    assert.equal(await old.hold.elsewhere(), undefined);
    away(false);
    await copy.hold.release(true);
    assert.equal((await old.hold.elsewhere())?.name, "RefusedError");
    assert.equal(old.hold.isTaken(), false);
  }));

Deno.test("a lock that was removed by hand is lost", () =>
  scene(async ({ run, kubernetes, lease }) => {
    const one = run("a");
    await one.hold.ensure();
    const sender = { by: "eve@desk", at: "2026-03-01T12:00:00.000Z" };
    const { signal } = new AbortController();
    assert.equal(await removeClaim(kubernetes, "a", sender, signal), true);
    await assert.rejects(one.hold.confirm(), {
      message:
        'Run "a" has lost its lock on the cluster: it was removed, or another process took it',
    });
    await one.hold.release(false);
    assert.equal((await lease())?.claim, "");
  }));

Deno.test("directly before a change the lock is renewed, for all that wait for it at once", () =>
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
      name: "LockedError",
      message:
        "The lock on the cluster could not be renewed in time: no answer",
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

Deno.test("a run that has taken away what its lock is kept in continues without it", () =>
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
      { state: "without", reason: "no answer" },
    ]);
    away(false);
  }));

Deno.test("an old copy of a run does not continue, until its claim is removed", () =>
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
        'This is an old copy of run "a": it was continued by a@desk after this journal was copied',
      hint:
        'Resume it there; if that copy is lost, check the nodes, then run: osctl runbook unlock a --reason "…"',
    };
    await assert.rejects(run("a", { journal: old }).hold.look(), refused);
    await assert.rejects(run("a", { journal: old }).hold.ensure(), refused);
    assert.deepEqual(asked, [end, end]);
    const other = run("a", { journal });
    await other.hold.ensure();
    await other.hold.release(true);
    // Finished runs are remembered, too.
    await assert.rejects(run("a", { journal: old }).hold.look(), {
      message:
        'This is an old copy of run "a": it was continued and ended elsewhere after this journal was copied',
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

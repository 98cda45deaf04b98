import assert from "node:assert/strict";
import type { Run } from "./_lock_runs.ts";
import { dead, scene, sleeper } from "./_lock_runs.ts";

const noon = 1_772_366_400_000;
const ended = { seq: 37, checksum: "0a1b2c3d" };

/** A journal that ends there, and has everything before. */
const journalTo = (seq: number) => ({
  end: () => ({ ...ended, seq }),
  includes: (other: typeof ended) => other.seq <= seq,
});

const listStates = ({ records }: Run) => records.map(({ state }) => state);

Deno.test("a run without the lock takes it when Kubernetes answers again, unasked and before a change", () =>
  scene(async ({ clock, run, lease, away }) => {
    away(true);
    const one = run("a", { journal: journalTo(37) });
    await one.hold.ensure();
    await clock.advance(15_000);
    away(false);
    assert.equal(await lease(), undefined);
    await clock.advance(15_000);
    // After what is under way.
    assert.equal(await one.hold.ensure(), undefined);
    assert.deepEqual(await lease(), {
      holder: "a @ a@desk # 1 noon word1",
      renewedAt: noon + 30_000,
      durationMs: 60_000,
      claim: "a",
      claimedBy: "a@desk",
      journals: new Map([["a", ended]]),
    });
    assert.deepEqual(listStates(one), ["without", "taken"]);
  }));

Deno.test("a run that ends without the lock leaves how far it has come, where Kubernetes answers", () =>
  scene(async ({ run, lease, away }) => {
    away(true);
    const one = run("a", { journal: journalTo(37) });
    await one.hold.ensure();
    away(false);
    await one.hold.release(true);
    const { holder, claim, journals } = await lease() ?? {};
    assert.deepEqual([holder, claim, journals], [
      "",
      "",
      new Map([["a", ended]]),
    ]);
  }));

Deno.test("a run without the lock changes nothing more when another copy has gone further meanwhile", () =>
  scene(async (all) => {
    const { clock, run, away } = all;
    away(true);
    const paused = run("a", { ...dead(all), journal: journalTo(30) });
    await paused.hold.ensure();
    await clock.advance(300_000);
    away(false);
    const copy = run("a", { journal: journalTo(37) });
    await copy.hold.ensure();
    await copy.hold.release(true);
    const old = {
      name: "RefusedError",
      message: /^This is an old copy of run/,
    };
    await assert.rejects(paused.hold.confirm(), old);
    await assert.rejects(paused.hold.ensure(), old);
    assert.deepEqual(listStates(paused), ["without"]);
  }));

Deno.test("a run without the lock changes nothing more when another run has it, or a claim", () =>
  scene(async (all) => {
    const { clock, run, away } = all;
    away(true);
    const paused = run("a", dead(all));
    await paused.hold.ensure();
    away(false);
    const { hold } = run("b");
    await hold.ensure();
    const { clock: own } = sleeper(all, { meanwhile: () => hold.ensure() });
    const other = run("a", { clock: own });
    await clock.advance(15_000);
    await assert.rejects(other.hold.look(), { name: "LockedError" });
    await hold.release(false);
    await assert.rejects(paused.hold.confirm(), {
      name: "LockedError",
      message: 'Run "b" of b@desk is unfinished on this cluster',
    });
  }));

Deno.test("a claim that came back with etcd stops no run that has restored it", () =>
  scene(async (all) => {
    const { clock, run, lease, away } = all;
    await run("b").hold.release(false);
    const { hold } = run("b");
    await hold.ensure();
    await hold.release(false);
    away(true);
    const one = run("a", { ...dead(all), excused: () => true });
    await one.hold.ensure();
    await clock.advance(15_000);
    away(false);
    await one.hold.confirm();
    assert.equal((await lease())?.claim, "b");
    assert.deepEqual(listStates(one), ["without"]);
  }));

Deno.test("a process that was suspended for longer than its lock changes nothing before it has looked again", () =>
  scene(async (all) => {
    const { clock, run } = all;
    const one = run("a", dead(all));
    await one.hold.ensure();
    assert.equal(one.hold.isSuspended(), false);
    await clock.advance(120_000);
    const suspended = {
      name: "LockedError",
      message: "This process was suspended for 120 s",
    };
    await assert.rejects(one.hold.confirm(), suspended);
    await assert.rejects(one.hold.ensure(), suspended);
    assert.equal(one.hold.isSuspended(), true);
    assert.equal(one.hold.isTaken(), false);
    await one.hold.reenter();
    assert.equal(await one.hold.ensure(), undefined);
    await one.hold.confirm();
    assert.deepEqual(listStates(one), ["taken"]);
  }));

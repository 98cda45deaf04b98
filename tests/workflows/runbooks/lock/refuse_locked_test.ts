import assert from "node:assert/strict";
import { OsctlError } from "../../../../errors.ts";
import { lockCluster } from "../../../../workflows/runbooks/lock/local_lock.ts";
import { removeClaim } from "../../../../workflows/runbooks/lock/claim.ts";
import {
  type LockQuestion,
  refuseLocked,
} from "../../../../workflows/runbooks/lock/refuse_locked.ts";
import { withFolder } from "../../../_folder.ts";
import { dead, type Scene, scene } from "./_lock_runs.ts";

const question = (
  { kubernetes, clock }:
    & Pick<LockQuestion, "clock">
    & Pick<Scene, "kubernetes">,
  more: Partial<LockQuestion> = {},
): LockQuestion => ({
  places: () => ({ runs: "/nowhere/runs", locks: "/nowhere/locks" }),
  cluster: () => Promise.resolve("c1"),
  kubernetes: () => Promise.resolve(kubernetes),
  clock,
  run: undefined,
  ...more,
});

Deno.test("refuseLocked: disruptive commands are refused while a run has the lock, naming its holder", () =>
  scene(async (all) => {
    await refuseLocked(question(all));
    const { hold } = all.run("a");
    await hold.ensure();
    await assert.rejects(refuseLocked(question(all)), {
      name: "LockedError",
      status: 8,
      message:
        "A run has locked the cluster: a @ a@desk, process 1 since noon (S18)",
      hint: "Wait for it, or check it with: osctl runbook status",
      alternatives: ["Override the lock with: --allow cluster-lock"],
    });
    // A program of the run is part of it.
    await refuseLocked(question(all, { run: "a" }));
    // A stopped run can be resumed after a repair of its nodes.
    await hold.release(false);
    await refuseLocked(question(all));
  }));

Deno.test("a run whose process was killed keeps the lock until it is resumed, aborted or removed", () =>
  scene(async (all) => {
    const { hold } = all.run("a", dead(all));
    await hold.ensure();
    await all.clock.advance(120_000);
    await assert.rejects(refuseLocked(question(all)), {
      name: "LockedError",
      status: 8,
      message:
        "A run has locked the cluster: a @ a@desk, process 1 since noon (S18)",
      hint:
        "It was interrupted; resume it where it was started: osctl runbook resume a",
      alternatives: [
        'If that is impossible: osctl runbook unlock a --reason "…"',
        "Override the lock with: --allow cluster-lock",
      ],
    });
    await refuseLocked(question(all, { run: "a" }));
    const by = { by: "b@desk", at: "noon", reason: "gone" };
    const { signal } = new AbortController();
    assert.ok(await removeClaim(all.kubernetes, "a", by, signal));
    await refuseLocked(question(all));
  }));

Deno.test("where nothing answers there is no lock", () =>
  scene(async (all) => {
    await all.run("a").hold.ensure();
    const away = () => Promise.reject(new OsctlError("no answer"));
    await refuseLocked(question(all, { cluster: away, kubernetes: away }));
  }));

Deno.test("a run of this machine has the lock before its first change", () =>
  withFolder({}, async (folder) => {
    const places = { runs: `${folder}/runs`, locks: `${folder}/locks` };
    const away = () => Promise.reject(new OsctlError("no answer"));
    const asked = question(
      { kubernetes: undefined as never, clock: undefined as never },
      { places: () => places, kubernetes: away },
    );
    await refuseLocked(asked);
    const lock = await lockCluster(places.locks, "c1");
    await assert.rejects(refuseLocked(asked), {
      status: 8,
      message: "A run has locked the cluster: a process on this machine (S18)",
    });
    const other = () => Promise.resolve("c2");
    await refuseLocked({ ...asked, cluster: other });
    lock[Symbol.dispose]();
    await refuseLocked(asked);
  }));

import assert from "node:assert/strict";
import type { RunState } from "../../../../workflows/runbooks/event.ts";
import {
  lockCluster,
  lockKey,
  refuseUnfinished,
} from "../../../../workflows/runbooks/lock/local_lock.ts";
import {
  isResumable,
  isUnfinished,
} from "../../../../workflows/runbooks/store/run_condition.ts";
import { RunHistory } from "../../../../workflows/runbooks/journal/history.ts";
import type { ListedRun } from "../../../../workflows/runbooks/store/run_folder.ts";
import { withFolder } from "../../../_folder.ts";
import { needs, posix } from "../../../_needs.ts";
import { holdElsewhere } from "../_other_process.ts";

const heldHere = {
  name: "LockedError",
  status: 8,
  message: "Another run on this machine has locked the cluster",
  hint: "See: osctl runbook status",
};

function run(
  id: string,
  state: RunState | "running" | "empty",
  cluster = "c1",
): ListedRun {
  const history = new RunHistory();
  if (state !== "empty") history.start = {};
  if (state !== "empty" && state !== "running") {
    history.end = { state, status: 0 };
  }
  return {
    folder: `/runs/${id}`,
    held: false,
    history,
    header: {
      v: 1,
      id,
      runbook: "rolling-upgrade",
      source: "builtin:rolling-upgrade",
      files: {},
      ir: "",
      inputs: {},
      context: "prod",
      cluster: { id: cluster, name: "prod" },
      operator: "eve@desk",
      version: "1.0.0",
      at: "2026-11-20T19:30:00.000Z",
    },
  };
}

Deno.test("a cluster is locked once in a process, too", () =>
  withFolder({}, async (folder) => {
    const locks = `${folder}/locks`;
    {
      using _first = await lockCluster(locks, "c1");
      await assert.rejects(lockCluster(locks, "c1"), heldHere);
      using _other = await lockCluster(locks, "c2");
    }
    using _again = await lockCluster(locks, "c1");
  }));

Deno.test("another process is kept away until it dies", () =>
  withFolder({}, async (folder) => {
    const other = await holdElsewhere("cluster", folder, "c1");
    try {
      await assert.rejects(lockCluster(folder, "c1"), heldHere);
    } finally {
      await other.kill();
    }
    using _mine = await lockCluster(folder, "c1");
  }));

Deno.test("this process keeps others away", () =>
  withFolder({}, async (folder) => {
    using _mine = await lockCluster(folder, "c1");
    await assert.rejects(
      holdElsewhere("cluster", folder, "c1"),
      /LockedError: Another run on this machine has locked the cluster/,
    );
  }));

Deno.test({
  name: "locks are files of their owner, named after the cluster",
  ...needs(posix),
  fn: () =>
    withFolder({}, async (folder) => {
      const locks = `${folder}/state/locks`;
      using _ = await lockCluster(locks, "../aB+/9_-=");
      const names: string[] = [];
      for await (const { name } of Deno.readDir(locks)) names.push(name);
      assert.deepEqual(names, ["___aB__9_-=.lock"]);
      const file = await Deno.stat(`${locks}/${names[0]}`);
      assert.equal(file.mode! & 0o777, 0o600); // not on Windows
      const directory = await Deno.stat(locks);
      assert.equal(directory.mode! & 0o777, 0o700); // not on Windows
    }),
});

Deno.test("the key of an outer engine is locked, whatever it is made of", () =>
  withFolder({}, async (folder) => {
    {
      using _first = await lockKey(folder, "argo/../1 \u{1f512}");
      await assert.rejects(lockKey(folder, "argo/../1 \u{1f512}"), {
        name: "LockedError",
        status: 8,
        message:
          'The run with key "argo/../1 \u{1f512}" is running in another process',
        hint: "Wait until it has finished",
      });
      using _other = await lockKey(folder, "argo/../2");
      using _cluster = await lockCluster(folder, "argo/../1 \u{1f512}");
    }
    using _again = await lockKey(folder, "argo/../1 \u{1f512}");
  }));

Deno.test("a folder that cannot be made is named", () =>
  withFolder({ locks: "a file" }, async (folder) => {
    const wrong = {
      name: "ConfigError",
      message: `Cannot write "${folder}/locks": it already exists`,
    };
    await assert.rejects(lockCluster(`${folder}/locks`, "c1"), wrong);
    await assert.rejects(lockKey(`${folder}/locks`, "k1"), wrong);
  }));

Deno.test("a run can be resumed until it has succeeded or was aborted", () => {
  const states = [
    "empty",
    "running",
    "succeeded",
    "partial",
    "cancelled",
    "failed",
    "stopped",
  ] as const;
  assert.deepEqual(
    states.filter((state) => isResumable(run("a", state))),
    ["empty", "running", "partial", "failed", "stopped"],
  );
});

Deno.test("a run is unfinished until it has ended for good", () => {
  const states = [
    "empty",
    "running",
    "succeeded",
    "partial",
    "cancelled",
    "failed",
    "blocked",
    "stopped",
    "waiting-approval",
    "refused",
  ] as const;
  assert.deepEqual(
    states.filter((state) => isUnfinished(run("a", state))),
    // The others have failed before they sent anything.
    ["running", "stopped", "waiting-approval"],
  );
});

Deno.test("a run that has sent something is unfinished also when it has failed", () => {
  const states = ["partial", "failed", "blocked", "refused"] as const;
  const sent = (state: RunState) => {
    const one = run("a", state);
    const intent = { key: "b", input: {}, entry: 1, operation: "reboot" };
    one.history.instances.set("workers/restart@w-1", {
      intent: { ...intent, acknowledged: false, steps: [] },
      result: { state: "failed", entry: 1, outputs: {} },
    });
    return one;
  };
  assert.deepEqual(
    states.filter((state) => isUnfinished(sent(state))),
    ["failed", "blocked", "refused"],
  );
});

Deno.test("an unfinished run keeps others from its cluster, by name", () => {
  const runs = [
    run("a", "succeeded"),
    run("b", "failed", "c2"),
    run("c", "stopped"),
  ];
  assert.throws(() => refuseUnfinished(runs, "c1", new Set(["d"])), {
    name: "LockedError",
    status: 8,
    message:
      'Run "c" (rolling-upgrade, of 2026-11-20T19:30:00.000Z) is unfinished on this cluster',
    hint:
      "Resume with: osctl runbook resume c, or supersede it with --supersede c",
  });
  refuseUnfinished(runs, "c1", new Set(["c"]));
  refuseUnfinished(runs, "c3", new Set());
  refuseUnfinished([], "c1", new Set());
});

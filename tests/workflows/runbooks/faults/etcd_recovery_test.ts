/** The table of faults of rebuilding etcd, each by name. */

import assert from "node:assert/strict";
import type { Json } from "../../../../lib/json.ts";
import type { JournalRecord } from "../_records.ts";
import { withFolder } from "../../../_folder.ts";
import {
  type Bench,
  type BenchOptions,
  openBench,
  type ProcessOptions,
  type Ran,
} from "../_bench.ts";
import { listWaits } from "./_upgrade.ts";

const minuteMs = 60_000;
const plane = (number: number) => `demo-controlplane-${number}`;

type Inputs = Readonly<Record<string, Json>>;

/** A cluster whose etcd has lost its majority: only the third control plane runs it. */
async function openLost(options: BenchOptions = {}): Promise<Bench> {
  const bench = await openBench({ controlPlanes: 3, workers: 1, ...options });
  for (const number of [1, 2]) {
    await bench.inject({ what: "etcd-stopped", node: plane(number) });
  }
  return bench;
}

function recover(
  bench: Bench,
  options: ProcessOptions = {},
  inputs: Inputs = {},
): Promise<Ran> {
  return bench.run("builtin:etcd-recovery", { cluster: "demo", ...inputs }, {
    answers: true,
    ...options,
  });
}

/** One cluster of these members, and never another one. */
function assertOne({ cluster }: Bench, members: readonly number[]): void {
  const { nodes, quorum } = cluster.observe();
  assert.ok(quorum.every(({ clusters }) => clusters <= 1));
  const running = nodes.filter(({ etcd }) => etcd.isRunning);
  assert.deepEqual(running.map(({ name }) => name), members.map(plane));
  for (const { etcd } of running) {
    assert.deepEqual(
      etcd.members.toSorted(),
      members.map(plane).toSorted(),
    );
  }
}

function calls({ cluster }: Bench, method: string): readonly string[] {
  return cluster.observe().calls.flatMap((call) =>
    call.method === method && call.carriedOut ? [call.node] : []
  );
}

/** Nothing was wiped, and nothing started. */
function assertUntouched(bench: Bench): void {
  assert.deepEqual(calls(bench, "Reset"), []);
  assert.deepEqual(calls(bench, "Bootstrap"), []);
}

Deno.test("etcd-recovery rebuilds a lost etcd on all control planes", async () => {
  await using bench = await openLost();
  const ran = await recover(bench);
  assert.equal(ran.verdict, "succeeded 0");
  assertOne(bench, [1, 2, 3]);
  assert.deepEqual(calls(bench, "Bootstrap"), [plane(1)]);
});

Deno.test("quorum still there: refused, with the way to replace a member", async () => {
  await using bench = await openBench({ controlPlanes: 3, workers: 0 });
  const ran = await recover(bench);
  assert.equal(ran.verdict, "blocked 5");
  assert.equal(ran.end?.failure?.step, "still-alive");
  assert.match(ran.end?.failure?.message ?? "", /replace-controlplane/);
  assertUntouched(bench);
});

/** A snapshot that was taken while all was well. */
async function takeSnapshot(bench: Bench, folder: string): Promise<Uint8Array> {
  const ran = await bench.run(
    "steps: [{ id: s, run: etcd.snapshot, with: { artifact: a.snapshot } }]",
  );
  assert.equal(ran.verdict, "succeeded 0");
  const [path = ""] = await bench.disk().files();
  await Deno.copyFile(path, `${folder}/good.snapshot`);
  return await Deno.readFile(path);
}

Deno.test("a snapshot that is truncated or has one bit flipped: refused, and the databases of nodes are offered", async () => {
  await withFolder({}, async (folder) => {
    await using bench = await openBench({ controlPlanes: 3, workers: 0 });
    const good = await takeSnapshot(bench, folder);
    for (const number of [1, 2]) {
      await bench.inject({ what: "etcd-stopped", node: plane(number) });
    }
    const flipped = good.slice();
    flipped[flipped.length >> 1]! ^= 1;
    const path = `${folder}/bad.snapshot`;
    for (const bad of [good.slice(0, -100), flipped]) {
      await Deno.writeFile(path, bad);
      const ran = await recover(bench, {}, { snapshot: path, maxAge: "1h" });
      assert.notEqual(ran.end?.status, 0);
      assert.equal(ran.end?.failure?.step, "source");
      assert.match(
        ran.end?.failure?.message ?? "",
        /To use the copy of|database/i,
      );
      assertUntouched(bench);
    }
    const ran = await recover(bench, {}, {
      snapshot: `${folder}/good.snapshot`,
    });
    assert.equal(ran.verdict, "succeeded 0");
    assertOne(bench, [1, 2, 3]);
  });
});

Deno.test("the node with the newest copy dies: it is kept already, must be declared dead, and the run continues", async () => {
  await using bench = await openLost();
  const first = await recover(bench, { answers: {} });
  assert.equal(first.verdict, "waiting-approval 76");
  assert.equal(first.end?.artifacts.length, 3);
  await bench.inject({ what: "unavailable", node: plane(3) });
  await bench.pass(minuteMs);
  const second = await bench.resume({ answers: { destroy: true } });
  assert.equal(second.verdict, "waiting-approval 76");
  assert.match(
    second.end?.failure?.message ?? "",
    /declare-dead.*demo-controlplane-3/s,
  );
});

for (
  const [what, isThere] of [
    [
      "before the upload",
      ({ type, path }: JournalRecord) =>
        type === "intent" && path === "bootstrap",
    ],
    [
      "behind the bootstrap",
      ({ type, path }: JournalRecord) => type === "ack" && path === "bootstrap",
    ],
    [
      "before it is written down",
      ({ type, path }: JournalRecord) =>
        type === "result" && path === "bootstrap",
    ],
  ] as const
) {
  Deno.test(`killed ${what}: one bootstrap, on the decided node`, async () => {
    await using bench = await openLost();
    const first = await recover(bench, {
      onRecord: (record, { kill }) => {
        if (isThere(record)) kill();
      },
    });
    assert.equal(first.verdict, "killed");
    await bench.pass(minuteMs);
    const second = await bench.resume({ answers: true });
    assert.equal(second.verdict, "succeeded 0");
    assert.deepEqual(calls(bench, "Bootstrap"), [plane(1)]);
    assertOne(bench, [1, 2, 3]);
  });
}

Deno.test("the node restarts right behind the bootstrap: seen, and repeated on the same node", async () => {
  await using bench = await openLost();
  await bench.inject({ what: "etcd-data-lost", node: plane(1) });
  const first = await recover(bench, {
    onRecord: ({ type, path }, { kill }) => {
      if (type === "ack" && path === "bootstrap") kill();
    },
  });
  assert.equal(first.verdict, "killed");
  await bench.pass(minuteMs);
  const second = await bench.resume({ answers: true });
  assert.equal(second.verdict, "succeeded 0");
  assert.ok(calls(bench, "Bootstrap").every((node) => node === plane(1)));
  assertOne(bench, [1, 2, 3]);
});

Deno.test("time is not in sync: waits, and then does not hold", async () => {
  await using bench = await openLost();
  await bench.inject({ what: "clock-skew", node: plane(2), ms: 10 * minuteMs });
  const ran = await recover(bench);
  assert.equal(ran.verdict, "failed 4");
  assert.equal(ran.end?.failure?.step, "no-init-nodes");
  assert.match(listWaits(ran).join(), /nodes\.timeInSync/);
  assertUntouched(bench);
});

Deno.test("a control plane is dead from the start: missing, must be declared dead, and the run continues with the rest", async () => {
  await using bench = await openBench({ controlPlanes: 3, workers: 0 });
  await bench.inject({ what: "etcd-stopped", node: plane(2) });
  await bench.inject({ what: "etcd-stopped", node: plane(3) });
  await bench.inject({ what: "unavailable", node: plane(3) });
  const first = await recover(bench, { answers: { destroy: true } });
  assert.equal(first.verdict, "waiting-approval 76");
  assert.match(
    first.end?.failure?.message ?? "",
    /declare-dead.*demo-controlplane-3/s,
  );
  assertUntouched(bench);
  const second = await bench.resume({ answers: true });
  assert.equal(second.verdict, "succeeded 0");
  assert.deepEqual(calls(bench, "Bootstrap"), [plane(1)]);
  assertOne(bench, [1, 2]);
});

Deno.test("a control plane never returns from the wipe: ends before the bootstrap, and continues without it", async () => {
  await using bench = await openLost();
  await bench.inject({ what: "never-returns", node: plane(1) });
  const first = await recover(bench);
  assert.equal(first.verdict, "failed 4");
  assert.equal(first.end?.failure?.code, "never-returned");
  assert.deepEqual(calls(bench, "Bootstrap"), []);
  const second = await bench.resume({
    answers: true,
    decisions: [
      {
        type: "drop",
        node: plane(1),
        data: { reason: "it was removed", by: "tester" },
      },
      {
        type: "decision",
        path: "pick",
        data: { verdict: "redo", reason: "", by: "tester" },
      },
    ],
  });
  assert.equal(second.verdict, "partial 3");
  assert.deepEqual(calls(bench, "Bootstrap"), [plane(2)]);
  assertOne(bench, [2, 3]);
});

Deno.test("a control plane that was declared dead comes back with its data: blocked, never bootstrapped (S13)", async () => {
  await using bench = await openLost();
  const lift = await bench.inject({ what: "unavailable", node: plane(2) });
  const ran = await recover(bench, {
    on: async ({ type, path }) => {
      if (type === "step.done" && path === "nobody-joined") await lift();
    },
  });
  assert.equal(ran.verdict, "blocked 5");
  assert.equal(ran.end?.failure?.step, "bootstrap");
  assert.match(ran.end?.failure?.message ?? "", /10\.5\.0\.3/);
  assert.deepEqual(calls(bench, "Bootstrap"), []);
});

/** A lost etcd, and what brings it back. */
async function openPassing(): Promise<[Bench, () => Promise<void>]> {
  const bench = await openBench({ controlPlanes: 3, workers: 1 });
  const lifts: (() => Promise<void>)[] = [];
  for (const number of [1, 2]) {
    lifts.push(
      await bench.inject({ what: "etcd-stopped", node: plane(number) }),
    );
  }
  const restore = async () => {
    for (const lift of lifts) await lift();
  };
  return [bench, restore];
}

Deno.test("all members come back before an approval that is given by a resume: refused, nothing is wiped", async () => {
  const [opened, restore] = await openPassing();
  await using bench = opened;
  const first = await recover(bench, { answers: {} });
  assert.equal(first.verdict, "waiting-approval 76");
  await restore();
  await bench.pass(minuteMs);
  const second = await bench.resume({ answers: true });
  assert.equal(second.verdict, "blocked 5");
  assert.equal(second.end?.failure?.step, "still-alive");
  assertUntouched(bench);
  assertOne(bench, [1, 2, 3]);
});

Deno.test("all members come back while the run asks: refused before the first wipe", async () => {
  const [opened, restore] = await openPassing();
  await using bench = opened;
  const ran = await recover(bench, {
    async answers({ tag }) {
      if (tag === "destroy") {
        await restore();
        await bench.cluster.clock.sleep(minuteMs);
      }
      return { approved: true, by: "tester", how: "flag" };
    },
  });
  assert.equal(ran.verdict, "blocked 5");
  assert.match(
    ran.end?.failure?.message ?? "",
    /etcd has a quorum again: 3 voters, 3 healthy, quorum 2/,
  );
  assertUntouched(bench);
  assertOne(bench, [1, 2, 3]);
});

Deno.test("a resume in the middle of the wipe asks nothing about the nodes that the run has wiped itself", async () => {
  await using bench = await openLost();
  const first = await recover(bench, {
    onRecord: ({ type, path }, { kill }) => {
      if (type === "ack" && path === "wipe/reset") kill();
    },
  });
  assert.equal(first.verdict, "killed");
  // The nodes are rebooting then.
  await bench.pass(4_000);
  const asked: string[] = [];
  const second = await bench.resume({
    answers({ tag }) {
      asked.push(tag);
      return Promise.resolve({ approved: true, by: "tester", how: "flag" });
    },
  });
  assert.equal(second.verdict, "succeeded 0");
  assert.deepEqual(asked, []);
  assertOne(bench, [1, 2, 3]);
});

Deno.test("the wrong cluster: stops at the first step", async () => {
  await using bench = await openLost();
  const ran = await recover(bench, {}, { cluster: "other" });
  assert.equal(ran.verdict, "blocked 5");
  assert.equal(ran.end?.failure?.step, "name-matches");
  assertUntouched(bench);
});

Deno.test("no operator is there to approve that data is lost: stops, nothing is changed", async () => {
  await using bench = await openLost();
  const ran = await recover(bench, { answers: {} });
  assert.equal(ran.verdict, "waiting-approval 76");
  assert.match(ran.end?.failure?.message ?? "", /^"destroy" needs approval/);
  assertUntouched(bench);
});

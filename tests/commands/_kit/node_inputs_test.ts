import assert from "node:assert/strict";
import { MachineStatusEvent_MachineStage as Stage } from "../../../transport/gen/machine_events.ts";
import { counting } from "../../_counting.ts";
import { run } from "../../_run.ts";
import { withWire } from "../../_wire.ts";

Deno.test("--max-unavailable takes numbers and shares, and requires --wait", async () => {
  for (const wrong of ["0", "-1", "0%", "101%", "2.5", "all", ""]) {
    const { status, err } = await run([
      "reboot",
      `--max-unavailable=${wrong}`,
    ]);
    assert.equal(status, 2, wrong);
    assert.match(
      err,
      /must be a number of nodes or a percentage such as "25%"/,
    );
  }
  const { status, err } = await run(
    "reboot --max-unavailable 1 --wait=false --nodes a",
    { a: {} },
  );
  assert.equal(status, 2);
  assert.match(err, /--max-unavailable needs --wait/);
});

/** Most workers that were unavailable at the same time, as the clock of the cluster tells. */
async function mostAway(flags: string, reported = /^/): Promise<number> {
  let most = 0;
  await withWire({
    workers: 4,
    pace: { bootMs: 200, stopMs: 100, downMs: 200 },
  }, async ({ cluster, osctl }) => {
    const workers = cluster.nodes.slice(1);
    const timer = setInterval(() => {
      const away = workers.filter(({ boot: { stage } }) =>
        stage !== Stage.RUNNING
      ).length;
      most = Math.max(most, away);
    }, 5);
    const { status, err } = await osctl(`reboot --nodes @workers ${flags}`);
    clearInterval(timer);
    assert.equal(status, 0, err);
    assert.match(err, reported);
    assert.deepEqual(workers.map(({ counts }) => counts.boots), [2, 2, 2, 2]);
  });
  return most;
}

Deno.test("no more workers are unavailable than --max-unavailable allows", async () => {
  assert.equal(await mostAway("--max-unavailable 25%"), 1);
  assert.equal(await mostAway("--max-unavailable 2"), 2);
  assert.equal(await mostAway("--max-unavailable 100%"), 4);
});

Deno.test("workers go one at a time by default, and say that they wait", async () => {
  assert.equal(
    await mostAway("", /^\d\d:\d\d:\d\d 10\.5\.0\.6: waiting for its turn$/m),
    1,
  );
});

Deno.test("a change that is not waited for disrupts one node, unless all may be unavailable", async () => {
  const boots = async (flags: string, env: Record<string, string> = {}) => {
    let ended = { status: 0, err: "", calls: 0 };
    await withWire({ workers: 2 }, async ({ cluster, osctl }) => {
      const counts = await Promise.all(
        cluster.nodes.slice(1).map((node) => counting(node, "Reboot")),
      );
      const line = `reboot --nodes @workers --wait=false ${flags}`;
      const { status, err } = await osctl(line, { env });
      const calls = counts.reduce((sum, count) => sum + count().calls, 0);
      ended = { status, err, calls };
    });
    return ended;
  };
  const refused = await boots("");
  assert.match(
    refused.err,
    /^error: With --wait=false all 2 nodes would be unavailable at once\nhint: Omit --wait=false, or add: --max-unavailable 100%\n$/m,
  );
  assert.deepEqual([refused.status, refused.calls], [5, 0]);
  const meant = await boots("--max-unavailable 100%");
  assert.deepEqual([meant.status, meant.calls], [0, 2], meant.err);
  const peer = await boots("", { OSCTL_COMPAT: "peer" });
  assert.deepEqual([peer.status, peer.calls], [0, 2], peer.err);
});

Deno.test("a worker that does not come back ends a reboot of one at a time; the others are left alone", async () => {
  await withWire({ workers: 3 }, async ({ cluster, names, osctl }) => {
    const [, first = "", ...others] = names;
    await cluster.setFault(first, "never-returns");
    const { status, err } = await osctl(
      `reboot --nodes ${
        [first, ...others].join(",")
      } --max-unavailable 1 --timeout 3s`,
    );
    assert.equal(status, 4);
    assert.match(
      err,
      /simulated-worker-2 \(10\.5\.0\.4\): timed-out: timed out before its turn/,
    );
    assert.match(
      err,
      /simulated-worker-3 \(10\.5\.0\.5\): timed-out: timed out before its turn/,
    );
    const boots = cluster.nodes.slice(2).map(({ counts }) => counts.boots);
    assert.deepEqual(boots, [1, 1]);
  });
});

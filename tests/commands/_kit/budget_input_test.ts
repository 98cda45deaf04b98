import assert from "node:assert/strict";
import { MachineStatusEvent_MachineStage as Stage } from "../../../transport/gen/machine_events.ts";
import { run } from "../../_run.ts";
import { withWire } from "../../_wire.ts";

Deno.test("--max-unavailable takes numbers and shares, and needs somebody who waits", async () => {
  for (const wrong of ["0", "-1", "0%", "101%", "2.5", "all", ""]) {
    const { status, err } = await run([
      "reboot",
      `--max-unavailable=${wrong}`,
    ]);
    assert.equal(status, 2, wrong);
    assert.match(err, /must be a number of nodes, or a share such as "25%"/);
  }
  const { status, err } = await run(
    "reboot --max-unavailable 1 --wait=false --nodes a",
    { a: {} },
  );
  assert.equal(status, 2);
  assert.match(err, /--max-unavailable needs --wait/);
});

/** Most workers that were away at the same time, as the clock of the cluster tells. */
async function mostAway(flags: string): Promise<number> {
  let most = 0;
  await withWire({
    workers: 4,
    pace: { bootMs: 200, stopMs: 100, downMs: 200 },
  }, async ({ cluster, osctl }) => {
    const workers = cluster.nodes.slice(1);
    const timer = setInterval(() => {
      const away = workers.filter(({ stage }) =>
        stage !== Stage.RUNNING
      ).length;
      most = Math.max(most, away);
    }, 5);
    const { status, err } = await osctl(`reboot --nodes @workers ${flags}`);
    clearInterval(timer);
    assert.equal(status, 0, err);
    assert.deepEqual(workers.map(({ tally }) => tally.boots), [2, 2, 2, 2]);
  });
  return most;
}

Deno.test("no more workers are away than --max-unavailable allows", async () => {
  assert.equal(await mostAway("--max-unavailable 25%"), 1);
  assert.equal(await mostAway("--max-unavailable 2"), 2);
  assert.equal(await mostAway(""), 4);
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
      /10\.5\.0\.4: timed-out: the time was up before its turn/,
    );
    assert.match(
      err,
      /10\.5\.0\.5: timed-out: the time was up before its turn/,
    );
    const boots = cluster.nodes.slice(2).map(({ tally }) => tally.boots);
    assert.deepEqual(boots, [1, 1]);
  });
});

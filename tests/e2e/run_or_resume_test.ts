import assert from "node:assert/strict";
import { countBoots, runbook } from "../commands/runbook/_home.ts";
import { restarts, startIn, withSlowHome } from "./_runs.ts";

/** Words an outer engine starts osctl with, again and again. */
function again(file: string, state: string): readonly string[] {
  return [
    "runbook",
    "run-or-resume",
    `--runbook=${file}`,
    "--run-key=4711-lab-1",
    `--state-dir=${state}`,
    "--yes=start,canary",
    "--output=jsonl",
    "--grace=50s",
  ];
}

/** Times after which the caller loses its patience, in milliseconds: while osctl starts, begins, waits and ends. */
const patience = [150, 700, 1_100, 400, 1_600, 900, 2_300];

Deno.test("a run that is terminated at any time and called again ends well, and restarts each node once", async () => {
  await withSlowHome(async (home) => {
    const state = `${home.home}/state`;
    const words = again(await home.write(restarts), state);
    const statuses: number[] = [];
    for (const ms of patience) {
      const run = startIn(home, words);
      const timer = setTimeout(() => {
        try {
          run.kill("SIGTERM");
        } catch (error) {
          // It may have ended right before.
          assert.ok(error instanceof TypeError);
        }
      }, ms);
      statuses.push((await run.ended()).status);
      clearTimeout(timer);
    }
    // 143 before anything has started, then a safe point each time.
    for (const status of statuses) {
      assert.ok([0, 75, 143].includes(status), statuses.join(" "));
    }
    const env = { OSCTL_LEASE_DURATION: "2s" };
    const last = await home.osctl(words, { env });
    assert.equal(last.status, 0, last.err);
    const { "simulated-worker-1": one, "simulated-worker-2": two } = countBoots(
      home.cluster,
    );
    assert.deepEqual([one, two], [2, 2]);
    const runs = await Array.fromAsync(Deno.readDir(`${state}/runs`));
    assert.equal(runs.length, 1);
  });
});

Deno.test("of two callers with one key one is asked to wait: status 8", async () => {
  await withSlowHome(async (home) => {
    const resting = runbook("  - { id: rest, sleep: 1h }\n");
    const words = again(await home.write(resting), `${home.home}/state`);
    const [one, two] = [startIn(home, words), startIn(home, words)];
    const [first, second] = [one.ended(), two.ended()];
    const other = await Promise.race([
      first.then((ended) => ({ ended, run: two, later: second })),
      second.then((ended) => ({ ended, run: one, later: first })),
    ]);
    assert.equal(other.ended.status, 8, other.ended.err);
    assert.match(
      other.ended.err,
      /run with key "4711-lab-1" is running in another process/,
    );
    other.run.kill("SIGTERM");
    // It may not have come to its rest yet.
    assert.ok([75, 143].includes((await other.later).status));
  });
});

import assert from "node:assert/strict";
import { lockFor } from "../../../../workflows/runbooks/lock/lock_for_run.ts";
import { placesIn } from "../../../../workflows/runbooks/store/run_paths.ts";
import { LockedError } from "../../../../errors.ts";
import { withFolder } from "../../../_folder.ts";
import { demo, makeRun } from "../store/_runs.ts";

Deno.test("lockFor lets one run at a time have a cluster, and gives it back", async () => {
  await withFolder({}, async (folder) => {
    const places = placesIn(folder);
    const lock = () => lockFor(demo, { places, cluster: "c/1", except: [] });
    const first = await lock();
    await assert.rejects(lock(), LockedError);
    first[Symbol.dispose]();
    (await lock())[Symbol.dispose]();
  });
});

Deno.test("lockFor refuses while another run has not ended, and has not locked then", async () => {
  await withFolder({}, async (folder) => {
    const places = placesIn(folder);
    await makeRun(places.runs, { id: "20261120-aaaa" });
    const lock = (...except: (string | undefined)[]) =>
      lockFor(demo, { places, cluster: "prod", except });
    await assert.rejects(lock(undefined), LockedError);
    await assert.rejects(lock("20261120-bbbb"), LockedError);
    (await lock("20261120-aaaa"))[Symbol.dispose]();
  });
});

Deno.test("lockFor does nothing for runbooks that lock nothing", async () => {
  await withFolder({}, async (folder) => {
    const reading = {
      ...demo,
      policy: { ...demo.policy, lock: "none" },
    } as const;
    const request = { places: placesIn(folder), cluster: "prod", except: [] };
    using _one = await lockFor(reading, request);
    using _two = await lockFor(reading, request);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
  });
});

Deno.test("lockFor is held up by runs that cannot be read only on their own cluster", async () => {
  await withFolder({}, async (folder) => {
    const places = placesIn(folder);
    const run = await makeRun(places.runs, { id: "20261120-aaaa" });
    const header = await makeRun(places.runs, { id: "20261120-bbbb" });
    await Deno.writeTextFile(`${run}/journal.jsonl`, "damaged\n");
    await Deno.writeTextFile(`${header}/header.json`, "{");
    const lock = (cluster: string) =>
      lockFor(demo, { places, cluster, except: [] });
    await assert.rejects(lock("prod"), {
      name: "ConfigError",
      message: /^Cannot read journal "\S+\/20261120-aaaa\/journal.jsonl"/,
      hint:
        "Check the nodes by hand, then remove the run with: osctl runbook gc 20261120-aaaa --unfinished",
    });
    (await lock("other"))[Symbol.dispose]();
  });
});

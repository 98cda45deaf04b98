import assert from "node:assert/strict";
import { lockFolder } from "../../../provisioners/background.ts";
import {
  changePower,
  powerFollower,
} from "../../../provisioners/embedded/power.ts";
import { readOff } from "../../../provisioners/state.ts";
import { withCluster } from "../../_cluster.ts";
import { withFolder } from "../../_folder.ts";

const { signal } = new AbortController();

Deno.test("power is switched as requested, and nodes that are off are written down", async () => {
  await withFolder({ "lab/": "" }, async (state) => {
    const place = { state, name: "lab" };
    const folder = `${state}/lab`;
    using lock = await lockFolder(`${state}/lab`);
    assert.ok(lock);
    const pace = { stopMs: 0, downMs: 0 };
    await withCluster({ workers: 1, pace }, async ({ nodes, settled }) => {
      const [, worker] = nodes;
      const { address } = worker!.identity;
      const follow = await powerFollower(`${state}/lab`, nodes);
      const change = async (action: "on" | "off" | "cycle") => {
        const done = changePower(place, { action, nodes: [address] }, signal);
        let isOver = false;
        const over = done.finally(() => isOver = true);
        while (!isOver) {
          await follow();
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
        await over;
        await settled();
      };
      await follow();
      assert.deepEqual(await readOff(folder), []);
      await change("off");
      assert.deepEqual(await readOff(folder), [address]);
      assert.equal(worker!.boot.reachable, false);
      const { boots } = worker!.counts;
      await change("on");
      assert.equal(worker!.boot.reachable, true);
      assert.equal(worker!.counts.boots, boots + 1);
      // It is on already.
      await change("on");
      assert.equal(worker!.counts.boots, boots + 1);
      await change("cycle");
      assert.equal(worker!.counts.boots, boots + 2);
      await follow();
      assert.deepEqual(await readOff(folder), []);
      await change("off");
      await change("cycle");
      assert.equal(worker!.boot.reachable, true);
    });
  });
});

Deno.test("power: requests from before the process started are ignored", async () => {
  const old = JSON.stringify({
    revision: 7,
    wanted: { action: "off", nodes: ["10.5.0.2"] },
  });
  await withFolder({ "lab/power.json": old }, async (state) => {
    await withCluster({}, async ({ nodes }) => {
      const follow = await powerFollower(`${state}/lab`, nodes);
      await follow();
      assert.equal(nodes[0]!.isOff, false);
    });
  });
});

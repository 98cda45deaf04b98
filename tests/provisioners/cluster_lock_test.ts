import assert from "node:assert/strict";
import { lockCluster, refuseLocked } from "../../provisioners/cluster_lock.ts";
import { withFolder } from "../_folder.ts";

Deno.test("one process at a time creates or destroys a cluster", async () => {
  await withFolder({ "lab/": "" }, async (state) => {
    const place = { state, name: "lab" };
    const held = (work: string) => ({
      message:
        `Cannot ${work} cluster "lab": process ${Deno.pid} is creating or destroying it`,
      hint: `Wait until it has finished, or end it with: kill ${Deno.pid}`,
      status: 8,
    });
    {
      using _ = await lockCluster(place, "create");
      await assert.rejects(refuseLocked(place, "create"), held("create"));
      await assert.rejects(lockCluster(place, "destroy"), held("destroy"));
    }
    await refuseLocked(place, "create");
    using _ = await lockCluster(place, "destroy");
  });
});

Deno.test("a cluster that was destroyed while its lock was waited for is not locked", async () => {
  await withFolder({ "lab/": "" }, async (state) => {
    const place = { state, name: "lab" };
    const destroying = await lockCluster(place, "destroy");
    const waiting = lockCluster(place, "create");
    await new Promise((resolve) => setTimeout(resolve, 50));
    await Deno.remove(`${state}/lab`, { recursive: true });
    destroying[Symbol.dispose]();
    await assert.rejects(waiting, {
      message:
        'Cannot create cluster "lab": another process is creating or destroying it',
      hint: "Wait until it has finished",
      status: 8,
    });
    await refuseLocked(place, "create");
  });
});

import assert from "node:assert/strict";
import { withCluster } from "../../_cluster.ts";
import { withFolder } from "../../_folder.ts";
import { onCluster, withRunner } from "../_step_context.ts";
import { RefusedError } from "../../../errors.ts";
import {
  allAccept,
  allServe,
} from "../../../workflows/modules/ca_rotation_readiness.ts";

Deno.test("all nodes have to be along, which is checked once per process", async () => {
  await withFolder({}, async (folder) => {
    await withCluster({ workers: 1 }, async (cluster) => {
      const place = { cluster, folder };
      await withRunner(place, async ({ site, read, changeAll }) => {
        const { ca } = await read("ca.generate", { kind: "os" });
        await read("osconfig.issue", { ca: ca! });
        const there = await site("10.5.0.2");
        await assert.rejects(() => allAccept(there, "os"), RefusedError);
        await changeAll("ca.accept", { kind: "os", ca: ca! });
        await allAccept(there, "os");
        await assert.rejects(() => allServe(there, "os"), /\(S11\)/);
        await changeAll("ca.issue", { kind: "os", ca: ca! });
        await allServe(there, "os");
        await cluster.setFault("10.5.0.3", "unavailable");
        await allServe(there, "os");
      });
      await withRunner(place, async ({ site }) => {
        const there = await site("10.5.0.2");
        await assert.rejects(() => allServe(there, "os"), /10\.5\.0\.3: /);
      });
    });
  });
});

Deno.test("a node that does not tell is asked again, for a while", async () => {
  await onCluster(
    { workers: 1 },
    async ({ site, read, changeAll }, cluster) => {
      const { ca } = await read("ca.generate", { kind: "os" });
      await read("osconfig.issue", { ca: ca! });
      await changeAll("ca.accept", { kind: "os", ca: ca! });
      const there = await site("10.5.0.2");
      await cluster.setFault("10.5.0.3", "unavailable");
      const waits: number[] = [];
      const back = (at: number) => ({
        ...there,
        clock: {
          ...there.clock,
          async sleep(ms: number) {
            if (waits.push(ms) === at) {
              await cluster.setFault("10.5.0.3", "unavailable", false);
            }
          },
        },
      });
      await assert.rejects(
        () => allAccept(back(9), "os"),
        /accepted everywhere: 10\.5\.0\.3: /,
      );
      assert.deepEqual(waits.splice(0), [2_000, 2_000, 2_000]);
      await allAccept(back(2), "os");
      assert.deepEqual(waits, [2_000, 2_000]);
    },
  );
});

Deno.test("a node that does not take the new client keeps the old CA", async () => {
  await onCluster(
    { controlplanes: 1, workers: 1 },
    async ({ site, read, changeAll, ring }) => {
      const { ca } = await read("ca.generate", { kind: "os" });
      await read("osconfig.issue", { ca: ca! });
      await changeAll("ca.accept", { kind: "os", ca: ca! });
      await changeAll("ca.issue", { kind: "os", ca: ca! });
      const there = await site("10.5.0.2");
      const strange = { ...ring, at: () => ring.at("context", "10.5.0.2") };
      await assert.rejects(
        () =>
          allServe(
            { ...there, ring: strange },
            "os",
          ),
        /still needed: 10\.5\.0\.2: .*10\.5\.0\.3: /,
      );
    },
  );
});

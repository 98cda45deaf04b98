import assert from "node:assert/strict";
import { onCluster } from "../_step_context.ts";
import { allServe } from "../../../workflows/modules/ca_rotation_readiness.ts";

Deno.test("a node that does not take the new client keeps the old CA", async () => {
  await onCluster(
    { controlplanes: 1, workers: 1 },
    async ({ context, read, changeAll, ring }) => {
      const { ca } = await read("ca.generate", { kind: "os" });
      await read("osconfig.issue", { ca: ca! });
      await changeAll("ca.accept", { kind: "os", ca: ca! });
      await changeAll("ca.issue", { kind: "os", ca: ca! });
      const there = await context("10.5.0.2");
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

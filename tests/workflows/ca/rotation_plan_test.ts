import assert from "node:assert/strict";
import { withCluster } from "../../_cluster.ts";
import { withFolder } from "../../_folder.ts";
import { withRunner } from "../../_step_site.ts";
import { ConfigError, RefusedError } from "../../../errors.ts";
import { planRotation } from "../../../workflows/ca/rotation_plan.ts";

Deno.test("a plan shows each node in order, and stops at an exchange that is under way", async () => {
  await withFolder({}, async (folder) => {
    await withCluster({ controlplanes: 2, workers: 1 }, async (cluster) => {
      await withRunner(
        { cluster, folder },
        async ({ site, read, change, changeAll }) => {
          const { cluster } = await site();
          const nodes = {
            controlPlanes: ["10.5.0.3", "10.5.0.2"],
            workers: ["10.5.0.4"],
          };
          const rows = await planRotation(cluster, nodes, "kubernetes");
          const steps = ["accept new", "issue new, accept old", "drop old"];
          const issuing = rows[0]!.issuing;
          assert.match(String(issuing), /^[0-9a-f]{64}$/);
          assert.deepEqual(
            rows,
            [["10.5.0.3", "controlplane"], ["10.5.0.2", "controlplane"], [
              "10.5.0.4",
              "worker",
            ]].map(([node, role]) => ({
              kind: "kubernetes",
              node,
              role,
              issuing,
              accepted: [],
              steps,
            })),
          );
          const { ca } = await read("ca.generate", { kind: "kubernetes" });
          const input = { kind: "kubernetes", ca: ca! };
          await changeAll("ca.accept", input);
          await change("ca.issue", input, "10.5.0.2");
          await assert.rejects(
            () => planRotation(cluster, nodes, "kubernetes"),
            (error) =>
              error instanceof RefusedError && /under way/.test(error.message),
          );
          await assert.rejects(
            () => planRotation(cluster, { ...nodes, controlPlanes: [] }, "os"),
            ConfigError,
          );
        },
      );
    });
  });
});

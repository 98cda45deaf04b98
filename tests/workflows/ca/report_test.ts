import assert from "node:assert/strict";
import { withCluster } from "../../_cluster.ts";
import { withFolder } from "../../_folder.ts";
import { withRunner } from "../_step_context.ts";
import { planRotation, reportTrust } from "../../../workflows/ca/report.ts";
import { ConfigError, RefusedError } from "../../../errors.ts";

Deno.test("a report reports both CAs of each node, and of nodes that do not answer", async () => {
  await withFolder({}, async (folder) => {
    await withCluster({}, async (cluster) => {
      await withRunner(
        { cluster, folder },
        async ({ context, read, change }) => {
          const { ca, fingerprint, old } = await read("ca.generate", {
            kind: "os",
          });
          await change("ca.accept", { kind: "os", ca: ca! }, "10.5.0.2");
          const exchange = {
            old: String(old),
            new: String(fingerprint),
            kept: [],
          };
          const nodes = ["10.5.0.2", "10.5.0.9"];
          const [os, kubernetes, away] = await reportTrust(
            (await context()).cluster,
            nodes,
            { os: exchange },
          );
          assert.deepEqual(os, {
            node: "10.5.0.2",
            kind: "os",
            issuing: old,
            accepted: [fingerprint],
            state: "accepting",
            error: null,
          });
          assert.equal(kubernetes?.kind, "kubernetes");
          assert.equal(kubernetes?.state, null);
          assert.deepEqual(kubernetes?.accepted, []);
          assert.deepEqual(away, {
            ...away,
            node: "10.5.0.9",
            kind: "os",
            issuing: null,
            accepted: [],
            state: null,
          });
          assert.notEqual(away?.error, null);
        },
      );
    });
  });
});

Deno.test("a plan shows each node in order, and stops at a rotation that is in progress", async () => {
  await withFolder({}, async (folder) => {
    await withCluster({ controlplanes: 2, workers: 1 }, async (cluster) => {
      await withRunner(
        { cluster, folder },
        async ({ context, read, change, changeAll }) => {
          const { cluster } = await context();
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
              error instanceof RefusedError &&
              /in progress/.test(error.message),
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

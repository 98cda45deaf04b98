import assert from "node:assert/strict";
import { runRehearsal, summarizeEnd } from "../rehearsal/_runbooks.ts";
import { prepareApply } from "./_apply.ts";

Deno.test("the checks of a site hold before each stage, or the run stops there", async () => {
  const { plan, ...applied } = await prepareApply({
    controlPlanes: 1,
    workers: 1,
    before: { os: "v1.12.11", kubernetes: "1.34.1" },
    after: {
      os: "v1.12.12",
      kubernetes: "1.34.2",
      more: "checks: [{check: nodes.version, with: {version: v1.12.11}}]\n",
    },
  });
  const seen = await runRehearsal({ runbook: plan.text, ...applied });
  assert.deepEqual(summarizeEnd(seen), ["failed", 4, "gate-timeout"]);
  assert.equal(seen.report?.failure?.step, "checks-3");
  const versions = seen.after.nodes.map(({ version }) => version);
  assert.deepEqual(versions, ["v1.12.12", "v1.12.12"]);
});

import assert from "node:assert/strict";
import {
  usualEngine,
  withEngine,
} from "../../provisioners/docker/_fake_engine.ts";
import { run } from "../../_run.ts";

Deno.test({
  name: "cluster image is of an executable, not of a checkout",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await withEngine(usualEngine, async (env) => {
      const host = env("DOCKER_HOST") ?? "";
      const { err, status } = await run("cluster image", {}, {
        env: { DOCKER_HOST: host },
      });
      assert.equal(
        err,
        `error: Cannot build a node image from a checkout
hint: Build the executable with: deno task build
`,
      );
      assert.equal(status, 2);
    });
  },
});

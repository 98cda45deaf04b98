import assert from "node:assert/strict";
import { apiOf } from "./_api.ts";

Deno.test("the API says its version and that it is ready", async () => {
  const { ask, answer } = await apiOf({ kubernetes: "1.33.5" });
  assert.equal(ask("GET /version").gitVersion, "v1.33.5");
  assert.equal(ask("GET /version").minor, "33");
  assert.deepEqual(answer("GET /readyz"), { code: 200, body: "ok" });
});

Deno.test("without a majority of etcd nothing is answered", async () => {
  const { answer, nodes } = await apiOf({ controlplanes: 3 });
  nodes[0]!.reachable = false;
  assert.equal(answer("GET /api/v1/nodes").code, 200);
  nodes[1]!.reachable = false;
  assert.deepEqual(answer("GET /api/v1/nodes"), {
    code: 500,
    body: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "etcdserver: request timed out",
      reason: "InternalError",
      details: {},
      code: 500,
    },
  });
  assert.equal(answer("GET /readyz").code, 500);
  assert.equal(answer("GET /livez").code, 200);
});

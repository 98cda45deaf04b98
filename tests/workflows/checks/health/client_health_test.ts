import assert from "node:assert/strict";
import { UsageError } from "../../../../errors.ts";
import { lazyNodes } from "../../../../transport/node/nodes.ts";
import { healthFromHere } from "../../../../workflows/checks/health/client_health.ts";
import { jumping } from "./_health_context.ts";

Deno.test("healthFromHere asks the nodes it is given, and says what it was waiting for", async () => {
  const nodes = lazyNodes(() => Promise.reject(new UsageError("No context")));
  const rows = healthFromHere({
    nodes,
    named: { controlPlanes: ["192.0.2.1"], workers: [] },
    endpoint: undefined,
    wait: { timeoutMs: 0, clock: jumping(), report() {} },
    signal: new AbortController().signal,
  });
  await assert.rejects(Array.fromAsync(rows), {
    message:
      "Timed out after 0 s waiting for etcd to have no alarms: no result yet",
  });
});

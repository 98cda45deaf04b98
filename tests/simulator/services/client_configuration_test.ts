import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

const hour = { seconds: 3600n, nanos: 0 };

Deno.test("GenerateClientConfiguration wants a lifetime, and a control plane", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    const endpoint = cluster.endpoints[0]!;
    using admin = testClient({ endpoint, identity: cluster.adminIdentity });
    await assert.rejects(
      admin.machine.generateClientConfiguration({ roles: [] }),
      new RpcError("INVALID_ARGUMENT", "crt_ttl should be positive"),
    );
    using worker = testClient({
      endpoint,
      identity: cluster.adminIdentity,
      metadata: { node: ["10.5.0.3"] },
    });
    await assert.rejects(
      worker.machine.generateClientConfiguration({ roles: [], crtTtl: hour }),
      new RpcError(
        "FAILED_PRECONDITION",
        "client configuration (talosconfig) can't be generated on worker nodes",
      ),
    );
  });
});

Deno.test("nodes behind v1.12 make no configurations", async () => {
  const options = { release: { tag: "v1.13.0" } };
  await withCluster(options, async ({ endpoints, adminIdentity }) => {
    using admin = testClient({
      endpoint: endpoints[0]!,
      identity: adminIdentity,
    });
    await assert.rejects(
      admin.machine.generateConfiguration({}),
      new RpcError(
        "UNIMPLEMENTED",
        "unknown method GenerateConfiguration for service machine.MachineService",
      ),
    );
  });
});

import assert from "node:assert/strict";
import { parse } from "yaml";
import { RpcError } from "../../../errors.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

const hour = { seconds: 3600n, nanos: 0 };
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

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

Deno.test("GenerateConfiguration makes configurations with the cluster's secrets, and a client's", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    const [node] = cluster.nodes;
    const endpoint = cluster.endpoints[0]!;
    using admin = testClient({ endpoint, identity: cluster.adminIdentity });
    const request = {
      configVersion: "v1alpha1",
      clusterConfig: {
        name: "lab",
        controlPlane: { endpoint: "https://10.0.0.10:6443" },
        allowSchedulingOnControlPlanes: true,
      },
      machineConfig: {
        type: 2,
        kubernetesVersion: "1.34.1",
        installConfig: { installDisk: "/dev/nvme0n1" },
        networkConfig: { hostname: "one" },
      },
    } as const;
    const { messages } = await admin.machine.generateConfiguration(request);
    const { data, talosconfig } = messages[0]!;
    const [main] = decode(data[0]!).split("\n---\n").map((one) => parse(one));
    assert.equal(main.machine.type, "controlplane");
    assert.equal(main.machine.network.hostname, "one");
    assert.equal(main.machine.install.disk, "/dev/nvme0n1");
    assert.equal(main.cluster.allowSchedulingOnControlPlanes, true);
    assert.deepEqual(main.machine.ca, node!.cluster.secrets.certs.os);
    const { context, contexts } = parse(decode(talosconfig));
    assert.deepEqual([context, contexts.lab.endpoints], ["lab", ["10.0.0.10"]]);
    await assert.rejects(
      admin.machine.generateConfiguration({ ...request, configVersion: "v2" }),
      new RpcError("UNKNOWN", "unsupported config version v2"),
    );
    await assert.rejects(
      admin.machine.generateConfiguration({ configVersion: "v1alpha1" }),
      new RpcError("UNKNOWN", "invalid generate request"),
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

import assert from "node:assert/strict";
import { parse } from "yaml";
import { RpcError } from "../../../errors.ts";
import { inspectCertificate } from "../../../pki/inspect.ts";
import { decodePemAs } from "../../../pki/pem.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

const hour = { seconds: 3600n, nanos: 0 };
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

Deno.test("GenerateClientConfiguration gives a certificate that opens the cluster", async () => {
  await withCluster({}, async (cluster) => {
    const endpoint = cluster.endpoints[0]!;
    using admin = testClient({ endpoint, identity: cluster.adminIdentity });
    const { messages } = await admin.machine.generateClientConfiguration({
      roles: ["os:reader"],
      crtTtl: hour,
    });
    const { ca, crt, key, talosconfig } = messages[0]!;
    const { notBefore, notAfter, subject } = inspectCertificate(
      decodePemAs("CERTIFICATE", crt)[0],
    );
    assert.equal(notAfter.getTime() - notBefore.getTime(), 3_600_000);
    assert.deepEqual(subject.organizations, ["os:reader"]);
    const identity = { ca: decode(ca), crt: decode(crt), key: decode(key) };
    using reader = testClient({ endpoint, identity });
    assert.equal((await reader.machine.version({})).messages.length, 1);
    const config = parse(decode(talosconfig));
    assert.equal(config.context, "reader@simulated");
    assert.deepEqual(config.contexts["reader@simulated"], {
      endpoints: [],
      ca: btoa(identity.ca),
      crt: btoa(identity.crt),
      key: btoa(identity.key),
    });
  });
});

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

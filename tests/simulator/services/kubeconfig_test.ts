import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { accessIn } from "../../../workflows/kubernetes/access.ts";
import { openKubernetes } from "../../../workflows/kubernetes/client.ts";
import { readKubeconfig } from "../../../workflows/kubernetes/kubeconfig.ts";
import { inspectCertificate } from "../../../pki/inspect.ts";
import { decodePem } from "../../../pki/pem.ts";
import { withCluster } from "../../_cluster.ts";
import { clientOf } from "../_faults.ts";

Deno.test("a control plane makes a kubeconfig of an administrator, which works", async () => {
  await withCluster({ name: "lab" }, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    const text = await readKubeconfig(client);
    assert.match(text, /^current-context: admin@lab$/m);
    const access = accessIn(text, "kubeconfig");
    const [{ der } = assert.fail()] = decodePem(access.crt);
    const { subject } = inspectCertificate(der);
    assert.deepEqual(
      [subject.commonName, subject.organizations],
      ["admin", ["system:masters"]],
    );
    using kubernetes = openKubernetes(access);
    const { signal } = new AbortController();
    const { gitVersion } = await kubernetes.request("/version", { signal });
    assert.equal(gitVersion, "v1.34.1");
  });
});

Deno.test("a worker makes none", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.3");
    await assert.rejects(
      readKubeconfig(client),
      new RpcError(
        "UNIMPLEMENTED",
        "kubeconfig is only available on control plane nodes",
      ),
    );
  });
});

import assert from "node:assert/strict";
import { stringify } from "yaml";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import {
  type Kubernetes,
  KubernetesError,
} from "../../../workflows/kubernetes/client.ts";
import type { KubernetesAccess } from "../../../workflows/kubernetes/access.ts";
import { connectKubernetes } from "../../../workflows/kubernetes/connect.ts";
import { withCluster } from "../../_cluster.ts";
import { linux, needs } from "../../_needs.ts";
import { adminAccess } from "../../simulator/kubernetes/_access.ts";

const { signal } = new AbortController();
const version = "/version";

const base64 = (text: string) => new TextEncoder().encode(text).toBase64();

function formatKubeconfig({ server, ca, crt, key }: KubernetesAccess): string {
  const cluster = { server, "certificate-authority-data": base64(ca) };
  const user = {
    "client-certificate-data": base64(crt),
    "client-key-data": base64(key),
  };
  const context = { cluster: "lab", user: "admin" };
  return stringify({
    clusters: [{ name: "lab", cluster }],
    users: [{ name: "admin", user }],
    contexts: [{ name: "lab", context }],
    "current-context": "lab",
  }, { lineWidth: 0 });
}

/** Control planes that have addresses of their own. */
async function withAddresses(
  test: (cluster: RunningCluster, hosts: readonly string[]) => Promise<void>,
): Promise<void> {
  const number = Deno.pid % 250;
  const hosts = [2, 3, 4].map((last) => `127.198.${number}.${last}`);
  const addresses = (index: number) => ({ host: hosts[index]!, port: 50_000 });
  await withCluster(
    { controlplanes: 3, addresses },
    (cluster) => test(cluster, hosts),
  );
}

Deno.test("a client that is not known any more is recreated, once, and the request sent again", async () => {
  let valid = "1";
  let made = 0;
  const texts: string[] = [];
  const open = ({ crt }: KubernetesAccess): Kubernetes => ({
    request(path) {
      texts.push(`${path} as ${crt}`);
      return crt === valid
        ? Promise.resolve({ kind: "Status" })
        : Promise.reject(new KubernetesError(401, "Unauthorized"));
    },
    [Symbol.dispose]() {},
  });
  using kubernetes = connectKubernetes({
    addresses: [],
    open,
    kubeconfigs: [() =>
      Promise.resolve(formatKubeconfig({
        server: "https://k",
        ca: "ca",
        crt: String(++made),
        key: "key",
      }))],
  });
  const unauthorized = { name: "KubernetesError", code: 401 };
  await kubernetes.request("/a", { signal });
  valid = "2";
  assert.deepEqual(await kubernetes.request("/b", { signal }), {
    kind: "Status",
  });
  valid = "none";
  await assert.rejects(kubernetes.request("/c", { signal }), unauthorized);
  assert.deepEqual(texts, [
    "/version as 1",
    "/a as 1",
    "/b as 1",
    "/version as 2",
    "/b as 2",
    "/c as 2",
    "/version as 3",
    "/c as 3",
  ]);
});

Deno.test("a kubeconfig whose CA did not sign the server's certificate is read again", async () => {
  await withCluster({}, async (former) => {
    const outdated = formatKubeconfig(await adminAccess(former));
    await withCluster({}, async (cluster) => {
      const { server } = await adminAccess(cluster);
      const texts = [outdated, formatKubeconfig(await adminAccess(cluster))];
      let reads = 0;
      using kubernetes = connectKubernetes({
        addresses: [],
        server,
        kubeconfigs: [() => Promise.resolve(texts[reads++]!)],
      });
      await assert.rejects(kubernetes.request(version, { signal }), {
        name: "UntrustedServerError",
        code: 0,
      });
      const { gitVersion } = await kubernetes.request(version, { signal });
      assert.equal(gitVersion, "v1.34.1");
      assert.equal(reads, 2);
    });
  });
});

Deno.test(
  "another control plane is found when the server of the kubeconfig is unavailable, and when it goes away",
  needs(linux),
  async () => {
    await withAddresses(async (cluster, hosts) => {
      const text = formatKubeconfig(await adminAccess(cluster));
      assert.match(text, new RegExp(`https://${hosts[0]}:6443`));
      let reads = 0;
      using kubernetes = connectKubernetes({
        addresses: hosts,
        kubeconfigs: [() => Promise.resolve((reads++, text))],
      });
      const ask = () => kubernetes.request("/api/v1/nodes", { signal });
      await ask();
      await cluster.setFault(hosts[0]!, "unavailable");
      // A request lost with its server is not sent again, the next one is.
      await assert.rejects(ask(), { code: 0 });
      assert.equal((await ask()).kind, "NodeList");
      // Each one that is read makes a node sign a certificate.
      assert.equal(reads, 1);
    });
  },
);

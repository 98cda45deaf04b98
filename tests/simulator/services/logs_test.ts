import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import { logKernel } from "../../../simulator/node/logs.ts";
import type { Data } from "../../../transport/gen/common.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

function openAdmin({ endpoints, adminIdentity: identity }: RunningCluster) {
  return testClient({ endpoint: endpoints[0]!, identity });
}

/** Text of a stream, up to `lines` lines; `act` runs after each message. */
async function readText(
  stream: AsyncIterable<Data>,
  lines = Infinity,
  act = () => {},
) {
  let text = "";
  for await (const { bytes } of stream) {
    text += new TextDecoder().decode(bytes);
    act();
    if (text.split("\n").length > lines) break;
  }
  return text;
}

const system = { namespace: "system", driver: 0 } as const;

Deno.test("Logs refuses names that are not registered", async () => {
  await withCluster({}, async (cluster) => {
    using client = openAdmin(cluster);
    await assert.rejects(
      readText(
        client.machine.logs({ ...system, id: "nothing", tailLines: -1 }),
      ),
      new RpcError("UNKNOWN", 'log "nothing" was not registered'),
    );
    await assert.rejects(
      readText(
        client.machine.logs({ namespace: "k8s.io", driver: 1, id: "a/b:c" }),
      ),
      new RpcError("UNKNOWN", 'container "a/b:c" not found'),
    );
  });
});

Deno.test("Logs of a container are those of the container that Containers names", async () => {
  await withCluster({}, async (cluster) => {
    using client = openAdmin(cluster);
    const kubernetes = { namespace: "k8s.io", driver: 1 } as const;
    const { messages } = await client.machine.containers(kubernetes);
    const { id } = messages[0]!.containers.find(({ name }) =>
      name === "kube-proxy"
    )!;
    const text = await readText(
      client.machine.logs({ ...kubernetes, id, tailLines: 1 }),
    );
    assert.match(text, /^\S+Z stderr F kube-proxy is ready\n$/);
  });
});

Deno.test("LogsContainers lists the logs there are", async () => {
  await withCluster({}, async (cluster) => {
    using client = openAdmin(cluster);
    const { messages } = await client.machine.logsContainers({});
    assert.deepEqual(messages[0]!.ids, [
      "apid",
      "auditd",
      "containerd",
      "controller-runtime",
      "cri",
      "dashboard",
      "dns-resolve-cache",
      "etcd",
      "kubelet",
      "machined",
      "syslogd",
      "trustd",
      "udevd",
    ]);
  });
});

Deno.test("Dmesg starts with the kernel and follows from the end when asked", async () => {
  await withCluster({}, async (cluster) => {
    using client = openAdmin(cluster);
    const all = await readText(client.machine.dmesg({}));
    assert.match(
      all,
      /^kern: {2}notice: \[[0-9T:.-]+Z\]: Linux version 6\.18\.42-talos/,
    );
    assert.match(
      all,
      /\nuser: warning: \[[^\]]*\]: \[talos\] service\[kubelet\]\(Running\): Health check successful\n/,
    );
    const stream = client.machine.dmesg({ follow: true, tail: true });
    const timer = setInterval(() => logKernel(cluster.nodes[0]!, "ping"), 5);
    const tail = await readText(stream, 1);
    clearInterval(timer);
    assert.match(tail, /^user: warning: \[[^\]]*\]: \[talos\] ping\n/);
  });
});

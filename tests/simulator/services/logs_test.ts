import assert from "node:assert/strict";
import { virtualLog } from "../_virtual_log.ts";
import { RpcError } from "../../../errors.ts";
import { systemClock } from "../../../simulator/clock/clock.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import { logKernel, logLine } from "../../../simulator/node/logs.ts";
import type { Data } from "../../../transport/gen/common.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

function adminOf({ endpoints, adminIdentity: identity }: RunningCluster) {
  return testClient({ endpoint: endpoints[0]!, identity });
}

/** Text of a stream, up to `lines` lines; `act` runs after each message. */
async function textOf(
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

Deno.test("Logs gives all lines, the last few, or none", async () => {
  await withCluster({}, async (cluster) => {
    using client = adminOf(cluster);
    const [node] = cluster.nodes;
    node!.boot.logs.delete("syslogd");
    for (const line of ["one", "two", "three"]) logLine(node!, "syslogd", line);
    const log = (tailLines: number) =>
      textOf(client.machine.logs({ ...system, id: "syslogd", tailLines }));
    assert.equal(await log(-1), "one\ntwo\nthree\n");
    assert.equal(await log(2), "two\nthree\n");
    assert.equal(await log(0), "");
  });
});

Deno.test("Logs follows, and continues with lines that come later", async () => {
  await withCluster({}, async (cluster) => {
    using client = adminOf(cluster);
    const [node] = cluster.nodes;
    let count = 0;
    const act = () => logLine(node!, "syslogd", `line ${++count}`);
    const stream = client.machine.logs({
      ...system,
      id: "syslogd",
      follow: true,
      tailLines: -1,
    });
    assert.equal(
      await textOf(stream, 3, act),
      "syslogd started\nline 1\nline 2\n",
    );
  });
});

Deno.test("Logs of a large log arrive complete, in messages of 1 KiB", async () => {
  await withCluster({}, async (cluster) => {
    using client = adminOf(cluster);
    cluster.nodes[0]!.boot.logs.set("ext-load", virtualLog(20_000));
    let largest = 0;
    let lines = 0;
    for await (
      const { bytes } of client.machine.logs({
        ...system,
        id: "ext-load",
        tailLines: -1,
      })
    ) {
      largest = Math.max(largest, bytes.length);
      lines += bytes.reduce((sum, byte) => sum + (byte === 10 ? 1 : 0), 0);
    }
    assert.deepEqual([largest, lines], [1024, 20_000]);
  });
});

Deno.test("Logs refuses names that are not registered", async () => {
  await withCluster({}, async (cluster) => {
    using client = adminOf(cluster);
    await assert.rejects(
      textOf(client.machine.logs({ ...system, id: "nothing", tailLines: -1 })),
      new RpcError("UNKNOWN", 'log "nothing" was not registered'),
    );
    await assert.rejects(
      textOf(
        client.machine.logs({ namespace: "k8s.io", driver: 1, id: "a/b:c" }),
      ),
      new RpcError("UNKNOWN", 'container "a/b:c" not found'),
    );
  });
});

Deno.test("Logs of a container are those of the container that Containers names", async () => {
  await withCluster({}, async (cluster) => {
    using client = adminOf(cluster);
    const kubernetes = { namespace: "k8s.io", driver: 1 } as const;
    const { messages } = await client.machine.containers(kubernetes);
    const { id } = messages[0]!.containers.find(({ name }) =>
      name === "kube-proxy"
    )!;
    const text = await textOf(
      client.machine.logs({ ...kubernetes, id, tailLines: 1 }),
    );
    assert.match(text, /^\S+Z stderr F kube-proxy is ready\n$/);
  });
});

Deno.test("LogsContainers lists the logs there are", async () => {
  await withCluster({}, async (cluster) => {
    using client = adminOf(cluster);
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
    using client = adminOf(cluster);
    const all = await textOf(client.machine.dmesg({}));
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
    const tail = await textOf(stream, 1);
    clearInterval(timer);
    assert.match(tail, /^user: warning: \[[^\]]*\]: \[talos\] ping\n/);
  });
});

Deno.test("Dmesg computes the time of the boot anew for each message, so that times and what is between them differ in each reading", async () => {
  let now = Date.now();
  const clock = { ...systemClock, now: () => now };
  await withCluster({ clock }, async (cluster) => {
    using client = adminOf(cluster);
    const read = async () =>
      (await textOf(client.machine.dmesg({}))).trimEnd().split("\n")
        .map((line) => /^.*?\[(.*?)\]: (.*)$/.exec(line)!.slice(1));
    now += 1_100;
    const first = await read();
    now += 250;
    const second = await read();
    assert.deepEqual(
      second.map(([, text]) => text),
      first.map(([, text]) => text),
    );
    const drift = first.map(([time = ""], at) =>
      Date.parse(second[at]![0]!) - Date.parse(time)
    );
    assert.deepEqual(drift, first.map(() => 250));
    // What the kernel says as it starts has one time; each message is read a little later.
    const us = first.slice(0, 3).map(([time = ""]) =>
      (/\.(\d+)Z$/.exec(time)?.[1] ?? "").padEnd(6, "0").slice(3)
    );
    assert.deepEqual(us, ["000", "003", "006"]);
  });
});

import assert from "node:assert/strict";
import { connect } from "node:tls";
import { RpcError } from "../../errors.ts";
import type { RunningCluster } from "../../simulator/cluster.ts";
import type { FaultName, FaultOptions } from "../../simulator/faults.ts";
import { logLine } from "../../simulator/logs.ts";
import { withCluster } from "../_cluster.ts";
import { testClient } from "./_client.ts";

const worker = "10.5.0.3";
const system = { namespace: "system", tailLines: -1 } as const;
const broken = new RpcError("UNAVAILABLE", "error reading from server: EOF");

/** Runs a test against one control plane and one worker; the client talks to the worker. */
async function withFault(
  name: FaultName,
  options: FaultOptions,
  test: (
    client: ReturnType<typeof testClient>,
    cluster: RunningCluster,
  ) => Promise<void>,
): Promise<void> {
  await withCluster({ workers: 1 }, async (cluster) => {
    await cluster.setFault(worker, name, options);
    using client = clientOf(cluster);
    await test(client, cluster);
  });
}

function clientOf(
  { endpoints, adminIdentity: identity }: RunningCluster,
  node: string = worker,
) {
  return testClient({
    endpoint: endpoints[0]!,
    identity,
    metadata: { node: [node] },
  });
}

async function textOf(stream: AsyncIterable<{ readonly bytes: Uint8Array }>) {
  let text = "";
  try {
    for await (const { bytes } of stream) {
      text += new TextDecoder().decode(bytes);
    }
  } catch (error) {
    return [text, error instanceof RpcError ? error.code : error];
  }
  return [text, "OK"];
}

/** Certificate a server shows, and what TLS thinks of it. */
function handshake(cluster: RunningCluster, address: string) {
  const [host, port] = cluster.listening.get(address)!.split(":");
  return new Promise<
    {
      error: string | undefined;
      names: string | undefined;
      from: number;
      to: number;
    }
  >((resolve, reject) => {
    const socket = connect({
      host: host!,
      port: Number(port),
      ca: cluster.ca,
      servername: "node",
      ALPNProtocols: ["h2"],
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    });
    socket.once("secureConnect", () => {
      const { subjectaltname, valid_from, valid_to } = socket
        .getPeerCertificate();
      resolve({
        error: socket.authorizationError?.toString(),
        names: subjectaltname,
        from: Date.parse(valid_from),
        to: Date.parse(valid_to),
      });
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

Deno.test("a fault ends after its number of calls, and concerns its method only", async () => {
  await withFault(
    "reply-lost",
    { calls: 1, method: "Hostname" },
    async (client) => {
      assert.equal((await client.machine.version({})).messages.length, 1);
      await assert.rejects(client.machine.hostname({}), broken);
      assert.equal((await client.machine.hostname({})).messages.length, 1);
    },
  );
});

Deno.test("a fault that was switched off is over", async () => {
  await withFault("rbac-reader", {}, async (client, cluster) => {
    await assert.rejects(
      client.machine.serviceStart({ id: "kubelet" }),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    );
    await cluster.setFault(worker, "rbac-reader", false);
    assert.equal(
      (await client.machine.serviceStart({ id: "kubelet" })).messages.length,
      1,
    );
  });
});

Deno.test("reply-lost carries the call out", async () => {
  await withFault("reply-lost", { calls: 1 }, async (client, cluster) => {
    const before = cluster.nodes[1]!.services.get("kubelet")!.events.length;
    await assert.rejects(
      client.machine.serviceRestart({ id: "kubelet" }),
      broken,
    );
    assert.ok(
      cluster.nodes[1]!.services.get("kubelet")!.events.length > before,
    );
  });
});

Deno.test("stream-drop breaks a stream behind some messages", async () => {
  await withFault("stream-drop", { method: "Dmesg" }, async (client) => {
    const [text, code] = await textOf(client.machine.dmesg({}));
    assert.match(String(text), /^kern: {2}notice: .*\n$/);
    assert.equal(code, "UNAVAILABLE");
  });
});

Deno.test("truncated-copy ends an archive early and says nothing of it", async () => {
  await withFault("truncated-copy", { calls: 1 }, async (client) => {
    const size = async () => {
      let sum = 0;
      const stream = client.machine.copy({ rootPath: "/" });
      for await (const { bytes } of stream) sum += bytes.length;
      return sum;
    };
    const cut = await size();
    assert.ok(cut > 0 && cut < await size());
  });
});

Deno.test("log-cut-mid-line leaves the last line half", async () => {
  await withFault(
    "log-cut-mid-line",
    { afterMessages: 0 },
    async (client, { nodes }) => {
      nodes[1]!.logs.delete("syslogd");
      for (const line of ["first", "second"]) {
        logLine(
          nodes[1]!,
          "syslogd",
          line,
        );
      }
      assert.deepEqual(
        await textOf(client.machine.logs({ ...system, id: "syslogd" })),
        ["first\nsec", "UNAVAILABLE"],
      );
    },
  );
});

Deno.test("wrong-protobuf answers with what no client can read", async () => {
  await withFault("wrong-protobuf", {}, async (client, cluster) => {
    await assert.rejects(client.machine.version({}), { code: "INTERNAL" });
    using many = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
      metadata: { nodes: [worker] },
    });
    await assert.rejects(
      many.machine.version({}),
      new RpcError(
        "UNKNOWN",
        `error appending info for ${worker}: unexpected EOF`,
      ),
    );
  });
});

Deno.test("slow makes every call wait", async () => {
  await withFault("slow", { ms: 50 }, async (client) => {
    const start = performance.now();
    await client.machine.version({});
    assert.ok(performance.now() - start >= 45);
  });
});

Deno.test("reboot-mid-stream breaks the stream, and the node comes back as a new boot", async () => {
  await withFault(
    "reboot-mid-stream",
    { calls: 1 },
    async (client, cluster) => {
      const [, node] = cluster.nodes;
      const before = node!.bootId;
      const [, code] = await textOf(client.machine.dmesg({ follow: true }));
      assert.equal(code, "UNAVAILABLE");
      await cluster.settled();
      assert.notEqual(node!.bootId, before);
      assert.equal((await client.machine.version({})).messages.length, 1);
    },
  );
});

Deno.test("stream-silence-after-ack neither speaks nor ends once a reboot was accepted", async () => {
  await withFault("stream-silence-after-ack", {}, async (client, cluster) => {
    const stop = new AbortController();
    let isFirst = true;
    let heard = 0;
    const stream = client.machine.events({}, { signal: stop.signal });
    const listening = (async () => {
      for await (const _ of stream) {
        if (isFirst) await client.machine.reboot({});
        else heard++;
        isFirst = false;
      }
      return "ended";
    })();
    while (isFirst) {
      await Promise.race([
        listening,
        new Promise((resolve) => setTimeout(resolve, 1)),
      ]);
    }
    await cluster.settled();
    assert.equal((await client.machine.version({})).messages.length, 1);
    const late = heard;
    assert.equal(
      await Promise.race([listening, Promise.resolve("still open")]),
      "still open",
    );
    assert.ok(late < 5, `${late} events`);
    stop.abort();
    await listening;
  });
});

Deno.test("never-returns leaves a rebooted node off", async () => {
  await withFault("never-returns", {}, async (client, cluster) => {
    await client.machine.reboot({});
    await cluster.settled();
    await assert.rejects(client.machine.version({}), { code: "UNAVAILABLE" });
  });
});

Deno.test("returns-unconfigured ends a reboot in maintenance", async () => {
  await withFault("returns-unconfigured", {}, async (client, cluster) => {
    await client.machine.reboot({});
    await cluster.settled();
    assert.equal(cluster.nodes[1]!.stage, 3);
    await assert.rejects(
      client.machine.version({}),
      /certificate signed by unknown authority/,
    );
  });
});

Deno.test("maintenance-before-boot offers maintenance first, then the installed system", async () => {
  await withFault(
    "maintenance-before-boot",
    { ms: 20 },
    async (client, cluster) => {
      await client.machine.reboot({});
      await cluster.settled();
      assert.equal(cluster.nodes[1]!.stage, 4);
      assert.equal((await client.machine.version({})).messages.length, 1);
    },
  );
});

Deno.test("unavailable refuses connections, forwarded and direct, until it is off", async () => {
  await withFault("unavailable", {}, async (client, cluster) => {
    await assert.rejects(
      client.machine.version({}),
      /connect: connection refused/,
    );
    await assert.rejects(handshake(cluster, worker), { code: "ECONNREFUSED" });
    await cluster.setFault(worker, "unavailable", false);
    assert.equal((await client.machine.version({})).messages.length, 1);
  });
});

Deno.test("blackhole takes connections and says nothing; an open stream goes silent", async () => {
  await withFault("slow", { ms: 0 }, async (client, cluster) => {
    const [, node] = cluster.nodes;
    const stop = new AbortController();
    const stream = client.machine.logs({
      ...system,
      id: "syslogd",
      follow: true,
    }, { signal: stop.signal });
    let messages = 0;
    const listening = (async () => {
      for await (const _ of stream) messages++;
    })();
    while (messages === 0) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await cluster.setFault(worker, "blackhole");
    logLine(node!, "syslogd", "lost");
    const silent = Symbol();
    const wait = new Promise<symbol>((resolve) =>
      setTimeout(() => resolve(silent), 100)
    );
    assert.equal(
      await Promise.race([
        handshake(cluster, worker).catch(() => undefined),
        wait,
      ]),
      silent,
    );
    assert.equal(messages, 1);
    stop.abort();
    await listening;
    await cluster.setFault(worker, "blackhole", false);
    assert.equal((await client.machine.version({})).messages.length, 1);
  });
});

Deno.test("vip-moves leads new connections to another node", async () => {
  await withCluster({ controlplanes: 2 }, async (cluster) => {
    await cluster.setFault("10.5.0.2", "vip-moves", { node: "10.5.0.3" });
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
    });
    assert.equal(
      (await client.machine.hostname({})).messages[0]!.hostname,
      "simulated-controlplane-2",
    );
    const { names } = await handshake(cluster, "10.5.0.2");
    assert.match(names!, /DNS:simulated-controlplane-2/);
  });
});

Deno.test("the server's certificate is what the fault says", async () => {
  await withCluster({}, async (cluster) => {
    const shown = async (name: FaultName) => {
      await cluster.setFault("10.5.0.2", name);
      const seen = await handshake(cluster, "10.5.0.2");
      await cluster.setFault("10.5.0.2", name, false);
      return seen;
    };
    assert.ok((await shown("server-cert-expired")).to < Date.now());
    assert.ok((await shown("server-cert-not-yet-valid")).from > Date.now());
    assert.match((await shown("not-in-san")).names!, /^DNS:elsewhere$/);
    assert.ok((await shown("server-ca-changed")).error);
    assert.equal((await shown("slow")).error, undefined);
  });
});

Deno.test("client-cert-refused lets no client in", async () => {
  await withCluster({}, async (cluster) => {
    await cluster.setFault("10.5.0.2", "client-cert-refused");
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
    });
    await assert.rejects(client.machine.version({}), { code: "UNAVAILABLE" });
  });
});

Deno.test("clock-skew and older-version change what a node says of itself", async () => {
  await withFault("clock-skew", { ms: -3_600_000 }, async (client, cluster) => {
    const { messages } = await client.time.time({});
    assert.ok(
      Number(messages[0]!.localtime!.seconds) < Date.now() / 1000 - 3500,
    );
    await cluster.setFault(worker, "older-version", { tag: "v1.10.1" });
    assert.equal(
      (await client.machine.version({})).messages[0]!.version!.tag,
      "v1.10.1",
    );
  });
});

Deno.test("members are listed as the fault says", async () => {
  await withFault("public-address-first", {}, async (_, cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    const members = async () => {
      const seen = [];
      for await (
        const { resource } of client.state.list({
          namespace: "cluster",
          type: "Members.cluster.talos.dev",
        })
      ) {
        seen.push(resource!.spec!.yamlSpec.match(/- (.*)/)![1]);
      }
      return seen;
    };
    assert.deepEqual(await members(), ["10.5.0.2", "203.0.113.7"]);
    await cluster.setFault(worker, "member-missing");
    assert.deepEqual(await members(), ["10.5.0.2"]);
    await cluster.setFault(worker, "member-missing", false);
    await cluster.setFault(worker, "public-address-first", false);
    assert.deepEqual(await members(), ["10.5.0.2", "10.5.0.3"]);
  });
});

Deno.test("etcd-stopped stops etcd until it is off", async () => {
  await withCluster({}, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    const etcd = async () => {
      const { messages } = await client.machine.serviceList({});
      const { state, health } = messages[0]!.services.find(({ id }) =>
        id === "etcd"
      )!;
      return [state, health!.healthy];
    };
    await cluster.setFault("10.5.0.2", "etcd-stopped");
    assert.deepEqual(await etcd(), ["Finished", false]);
    await cluster.setFault("10.5.0.2", "etcd-stopped", false);
    assert.deepEqual(await etcd(), ["Running", true]);
  });
});

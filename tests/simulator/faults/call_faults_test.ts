import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { logLine } from "../../../simulator/node/logs.ts";
import { withCluster } from "../../_cluster.ts";
import { clientOf, handshake, withFault, worker } from "../_faults.ts";
import { testClient } from "../_client.ts";

const system = { namespace: "system", tailLines: -1 } as const;
const broken = new RpcError("UNAVAILABLE", "error reading from server: EOF");

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

Deno.test("reply-lost carries the call out", async () => {
  await withFault("reply-lost", { calls: 1 }, async (client, cluster) => {
    const before =
      cluster.nodes[1]!.boot.services.get("kubelet")!.events.length;
    await assert.rejects(
      client.machine.serviceRestart({ id: "kubelet" }),
      broken,
    );
    assert.ok(
      cluster.nodes[1]!.boot.services.get("kubelet")!.events.length > before,
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
      nodes[1]!.boot.logs.delete("syslogd");
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
      const before = node!.boot.id;
      const [, code] = await textOf(client.machine.dmesg({ follow: true }));
      assert.equal(code, "UNAVAILABLE");
      await cluster.settled();
      assert.notEqual(node!.boot.id, before);
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

Deno.test("stream-silence-after-ack begins with an upgrade and with a reset, too", async () => {
  const acks = {
    upgrade: (client: NodeClient) =>
      client.machine.upgrade({ image: "x.io/installer:v1.12.99" }),
    reset: (client: NodeClient) => client.machine.reset({ reboot: true }),
  };
  for (const [name, ask] of Object.entries(acks)) {
    await withFault("stream-silence-after-ack", {}, async (client, cluster) => {
      await ask(client);
      const fault = cluster.nodes[1]!.faults.get("stream-silence-after-ack");
      assert.equal(fault?.triggered, true, name);
      await cluster.settled();
    });
  }
});

Deno.test("bootstrap-unrecorded begins the cluster without saying so, and spoils nothing else", async () => {
  await withCluster({ bootstrapped: false }, async (cluster) => {
    await cluster.setFault("10.5.0.2", "bootstrap-unrecorded", { calls: 1 });
    using client = clientOf(cluster, "10.5.0.2");
    assert.equal((await client.machine.version({})).messages.length, 1);
    await assert.rejects(client.machine.bootstrap({}), { code: "UNAVAILABLE" });
    await cluster.settled();
    assert.equal(cluster.nodes[0]!.boot.ready, true);
    using again = clientOf(cluster, "10.5.0.2");
    await assert.rejects(again.machine.bootstrap({}), {
      code: "ALREADY_EXISTS",
    });
  });
});

Deno.test("member-change-ambiguous carries a removal out, request-lost does not", async () => {
  await withCluster({ controlplanes: 3 }, async (cluster) => {
    const [first, , third] = cluster.nodes;
    const memberId = await third!.etcd.server.client.memberId();
    const members = async () =>
      (await first!.etcd.server.client.members()).length;
    for (
      const [name, left] of [
        ["request-lost", 3],
        ["member-change-ambiguous", 2],
      ] as const
    ) {
      await cluster.setFault("10.5.0.2", name, { calls: 1 });
      using client = clientOf(cluster, "10.5.0.2");
      await assert.rejects(client.machine.etcdRemoveMemberByID({ memberId }), {
        code: "UNAVAILABLE",
      });
      assert.equal(await members(), left, name);
    }
  });
});

import assert from "node:assert/strict";
import { nodeClient } from "../../../transport/call/client.ts";
import { clientAt, nodeAt, until, withModel } from "../_model.ts";

const [first, second, worker] = [
  "demo-controlplane-1",
  "demo-controlplane-2",
  "demo-worker-1",
];

Deno.test("a node answers itself, and control planes forward", async () => {
  await withModel({ workers: 1 }, async (cluster) => {
    const { messages } = await clientAt(cluster, worker).machine.hostname({});
    assert.equal(messages[0]?.hostname, worker);
    const through = nodeClient(
      worker,
      cluster.transport(first, cluster.admin),
      { node: "10.5.0.3" },
    );
    const answer = await through.machine.hostname({});
    assert.equal(answer.messages[0]?.hostname, worker);
    const back = nodeClient(first, cluster.transport(worker, cluster.admin), {
      node: first,
    });
    await assert.rejects(back.machine.hostname({}), {
      code: "PERMISSION_DENIED",
    });
    assert.deepEqual(cluster.observe().calls.map(({ node }) => node), [
      worker,
      worker,
      first,
    ]);
  });
});

Deno.test("roles in certificates are enforced", async () => {
  await withModel({}, async (cluster) => {
    const reader = await cluster.identify(["os:reader"]);
    const client = nodeClient(first, cluster.transport(first, reader), {});
    await client.machine.version({});
    await assert.rejects(client.machine.reboot({}), {
      code: "PERMISSION_DENIED",
    });
    assert.deepEqual(
      cluster.observe().calls.map(({ method, carriedOut }) =>
        [method, carriedOut].join(" ")
      ),
      ["Version true", "Reboot false"],
    );
  });
});

Deno.test("a reboot takes its time, breaks streams, and gives another boot", async () => {
  await withModel({}, async (cluster) => {
    const { machine } = clientAt(cluster, first);
    const { bootId } = nodeAt(cluster, first);
    const streams = machine.dmesg({ follow: true });
    const ended = (async () => {
      for await (const _ of streams);
    })().then(() => "ended", ({ code }) => code);
    const start = cluster.clock.now();
    await machine.reboot({});
    assert.match(String(await ended), /^(ended|UNAVAILABLE)$/);
    await until(cluster, () => !nodeAt(cluster, first).isReachable);
    await assert.rejects(machine.version({}), { reason: "refused" });
    await until(cluster, () => nodeAt(cluster, first).isReady);
    assert.notEqual(nodeAt(cluster, first).bootId, bootId);
    assert.equal(nodeAt(cluster, first).reboots, 1);
    assert.ok(cluster.clock.now() - start >= 14_000);
    await machine.version({});
  });
});

Deno.test("a call that is forwarded to a node that is down says so", async () => {
  await withModel({ workers: 1 }, async (cluster) => {
    await cluster.inject({ what: "unavailable", node: worker });
    const through = nodeClient(
      worker,
      cluster.transport(first, cluster.admin),
      { node: worker, address: "10.5.0.3" },
    );
    await assert.rejects(through.machine.version({}), {
      code: "UNAVAILABLE",
      message:
        'connection error: desc = "transport: Error while dialing: dial tcp 10.5.0.3:50000: connect: connection refused"',
    });
    const stranger = nodeClient("x", cluster.transport(first, cluster.admin), {
      node: "10.5.0.99",
    });
    await assert.rejects(stranger.machine.version({}), { code: "UNAVAILABLE" });
    assert.equal(cluster.observe().calls.at(-1)?.node, "10.5.0.99");
  });
});

Deno.test("deadlines are those of the cluster's time, and signals end calls at once", async () => {
  await withModel({}, async (cluster) => {
    const { machine } = clientAt(cluster, first);
    const off = await cluster.inject({ what: "slow", ms: 60_000 });
    const start = cluster.clock.now();
    await assert.rejects(machine.version({}, { deadlineMs: 5_000 }), {
      code: "DEADLINE_EXCEEDED",
      message: "No complete answer within 5 s",
    });
    assert.equal(cluster.clock.now() - start, 5_000);
    const controller = new AbortController();
    const call = machine.version({}, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await assert.rejects(call, { message: "enough" });
    await off();
    const at = cluster.clock.now();
    await machine.version({}, { deadlineMs: 5_000 });
    assert.equal(cluster.clock.now(), at);
  });
});

Deno.test("a stream that is left early ends, and a transport that is closed fails", async () => {
  await withModel({}, async (cluster) => {
    const transport = cluster.transport(first, cluster.admin);
    const { machine } = nodeClient(first, transport, {});
    for await (const event of machine.events({ tailEvents: -1 })) {
      assert.ok(event);
      break;
    }
    transport.close();
    await assert.rejects(machine.version({}), { code: "CANCELLED" });
  });
});

Deno.test("in-process transport: virtual time pauses during real work", async () => {
  await withModel({}, async (cluster) => {
    const { machine } = clientAt(cluster, first);
    const waiting = cluster.clock.sleep(3_600_000);
    const start = cluster.clock.now();
    const bytes = await Array.fromAsync(machine.etcdSnapshot({}));
    assert.ok(bytes.length > 0);
    assert.equal(cluster.clock.now(), start);
    await waiting;
    assert.equal(cluster.clock.now() - start, 3_600_000);
  });
});

Deno.test("bytes that are no message, and unknown methods, are errors", async () => {
  await withModel({ controlPlanes: 2 }, async (cluster) => {
    const transport = cluster.transport(second, cluster.admin);
    const { machine } = nodeClient(second, transport, {});
    await cluster.inject({
      what: "call-fails",
      method: "Version",
      code: "DATA_LOSS",
    });
    await assert.rejects(machine.version({}), { code: "DATA_LOSS" });
    const method = {
      path: "/machine.MachineService/Nothing",
      requestType: {
        encode: () => ({ finish: () => new Uint8Array() }),
        decode: () => ({}),
      },
      responseType: {
        encode: () => ({ finish: () => new Uint8Array() }),
        decode: () => ({}),
      },
      requestStream: false,
      responseStream: false,
    };
    await assert.rejects(transport.unary(method, {}, {}), {
      code: "UNIMPLEMENTED",
    });
  });
});

import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { CallOptions } from "../../../transport/call/call.ts";
import { nodeClient } from "../../../transport/call/client.ts";
import {
  type Connection,
  NotSentError,
  type PendingCall,
} from "../../../transport/connect/connection.ts";
import { grpcTransport } from "../../../transport/call/grpc_transport.ts";
import type { Caller } from "../../../transport/call/metadata.ts";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";
import { Pool } from "../../../transport/connect/pool.ts";
import { dataReply, versionReply } from "../_server.ts";

type Answer = (
  call: PendingCall,
) => AsyncGenerator<Uint8Array>;

/** A transport over connections that answer one after the other as the test says. */
function makeTransport(answers: readonly Answer[], caller: Caller = {}) {
  const calls: PendingCall[] = [];
  let closed = false;
  let turn = 0;
  const pool = {
    acquire(signal: AbortSignal) {
      signal.throwIfAborted();
      const answer = answers[turn++]!;
      return Promise.resolve({
        endpoint: { host: "e", port: turn, text: `e:${turn}` },
        async *read(call: PendingCall) {
          calls.push(call);
          for await (const message of answer(call)) yield [message];
        },
      });
    },
    close: () => closed = true,
  } as unknown as Pool<Connection>; // all that a transport uses
  const transport = grpcTransport(pool, caller);
  return {
    transport,
    calls,
    closed: () => closed,
    client: (options: CallOptions = {}) =>
      nodeClient("n1", transport, { node: "n1", ...options }),
  };
}

async function* say(...messages: readonly Uint8Array[]) {
  for (const message of messages) yield await Promise.resolve(message);
}

async function* fail(error: unknown): AsyncGenerator<Uint8Array> {
  yield await Promise.reject(error);
}

Deno.test("unary sends path, metadata and the encoded request, and decodes the answer", async () => {
  const { client, calls } = makeTransport(
    [() => say(versionReply("v1.12.0"))],
    { cluster: "demo" },
  );
  const { messages } = await client().machine.version({});
  assert.equal(messages[0]?.version?.tag, "v1.12.0");
  assert.equal(calls[0]?.path, "/machine.MachineService/Version");
  assert.deepEqual(calls[0]?.metadata, {
    runtime: "Talos",
    context: "demo",
    node: "n1",
  });
  assert.deepEqual(calls[0]?.request, new Uint8Array());
});

for (const count of [0, 2]) {
  Deno.test(`unary refuses ${count} answers`, async () => {
    const answers = Array(count).fill(versionReply("v1"));
    const { client } = makeTransport([() => say(...answers)]);
    await assert.rejects(client().machine.version({}), {
      code: "DATA_LOSS",
      message:
        `/machine.MachineService/Version answered with ${count} messages instead of one`,
    });
  });
}

Deno.test("unary has no words of a library for an answer that cannot be read", async () => {
  const nonsense = new Uint8Array([0x0a, 200]);
  const { client } = makeTransport([() => say(nonsense)]);
  await assert.rejects(client().machine.version({}), {
    code: "DATA_LOSS",
    message: "the response from the node cannot be read",
  });
});

Deno.test("stream decodes one answer after the other", async () => {
  const { client, calls } = makeTransport([
    () => say(dataReply(new Uint8Array([1])), dataReply(new Uint8Array(200))),
  ]);
  const lengths: number[] = [];
  for await (const { bytes } of client().machine.read({ path: "/x" })) {
    lengths.push(bytes.length);
  }
  assert.deepEqual(lengths, [1, 200]);
  assert.deepEqual(calls[0]?.request, new Uint8Array([0x0a, 2, 47, 120]));
});

Deno.test("a request that was not taken is offered to the next connection", async () => {
  const { client, calls } = makeTransport([
    () => fail(new NotSentError()),
    () => fail(new NotSentError()),
    () => say(versionReply("v1")),
  ]);
  await client().machine.version({});
  assert.equal(calls.length, 3);
});

Deno.test("a request that no connection takes fails in the end", async () => {
  const { client } = makeTransport(
    Array(3).fill(() => fail(new NotSentError())),
  );
  await assert.rejects(client().machine.version({}), {
    code: "UNAVAILABLE",
    message: '"e:3" takes no more calls',
  });
});

Deno.test("a request that was taken is never sent again", async () => {
  const { client, calls } = makeTransport([
    () => fail(new RpcError("UNAVAILABLE", "lost")),
    () => say(versionReply("v1")),
  ]);
  await assert.rejects(client().machine.version({}), { code: "UNAVAILABLE" });
  assert.equal(calls.length, 1);
});

Deno.test("a stream of requests is not sent again, since it cannot be read twice", async () => {
  const { client, calls } = makeTransport([
    () => fail(new NotSentError()),
    () => say(new Uint8Array()),
  ]);
  await assert.rejects(
    client().machine.etcdRecover(chunks()),
    { code: "UNAVAILABLE" },
  );
  assert.equal(calls.length, 1);
});

async function* chunks() {
  yield await Promise.resolve({ bytes: new Uint8Array([1]) });
}

Deno.test("a stream of requests is encoded one by one", async () => {
  const sent: Uint8Array[] = [];
  const { client } = makeTransport([async function* ({ request }) {
    for await (const one of request as AsyncIterable<Uint8Array>) {
      sent.push(one);
    }
    yield new Uint8Array();
  }]);
  await client().machine.etcdRecover(chunks());
  assert.deepEqual(sent, [dataReply(new Uint8Array([1]))]);
});

Deno.test("a call ends at its deadline", async () => {
  const { client } = makeTransport([async function* ({ signal }) {
    yield await new Promise<never>((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason))
    );
  }]);
  await assert.rejects(client({ deadlineMs: 20 }).machine.version({}), {
    code: "DEADLINE_EXCEEDED",
  });
});

Deno.test("each request is signed", async () => {
  const { client, calls } = makeTransport([() => say(versionReply("v1"))], {
    sign: (path) => Promise.resolve({ "x-signature": path }),
  });
  await client().machine.version({});
  assert.equal(
    calls[0]?.metadata["x-signature"],
    "/machine.MachineService/Version",
  );
});

Deno.test("close closes the pool", () => {
  const { transport, closed } = makeTransport([]);
  transport.close();
  assert.equal(closed(), true);
});

Deno.test("leave is requested when the connection is up, and without it nothing is sent", async () => {
  const asked: string[] = [];
  let isAllowed = true;
  const { client, calls } = makeTransport([
    () => fail(new NotSentError()),
    () => say(versionReply("v1.12.0")),
    () => say(versionReply("v1.12.0")),
  ], {
    leave(path) {
      asked.push(`${path} after ${calls.length} calls`);
      return isAllowed ? Promise.resolve() : Promise.reject(new Error("no"));
    },
  });
  await client().machine.version({});
  // A call that was not taken is sent again.
  assert.deepEqual(asked, [
    "/machine.MachineService/Version after 0 calls",
    "/machine.MachineService/Version after 1 calls",
  ]);
  isAllowed = false;
  await assert.rejects(client().machine.version({}), { message: "no" });
  assert.equal(calls.length, 2);
});

Deno.test("a stream that falls silent ends, and one that continues does not", async () => {
  const silent: Answer = async function* ({ signal }) {
    yield dataReply(new Uint8Array([1]));
    yield await new Promise<never>((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason))
    );
  };
  const { client } = makeTransport([
    silent,
    () => say(dataReply(new Uint8Array([2]))),
  ]);
  const seen: number[] = [];
  const read = async () => {
    const stream = client().machine.read({ path: "/x" }, { silenceMs: 20 });
    for await (const { bytes } of stream) seen.push(...bytes);
  };
  await assert.rejects(read(), {
    code: "DEADLINE_EXCEEDED",
    message: "No data for 0.02 s",
  });
  await read();
  assert.deepEqual(seen, [1, 2]);
});

/** A transport over a real pool of endpoints, each with one answer, and who was asked. */
function throughEndpoints(answers: Readonly<Record<string, Answer>>) {
  const asked: string[] = [];
  const pool = new Pool({
    endpoints: Object.keys(answers).map(parseEndpoint),
    dial: (endpoint) =>
      Promise.resolve({
        endpoint,
        usable: true,
        doubtful: false,
        close() {},
        async *read(call: PendingCall) {
          asked.push(endpoint.host);
          for await (const message of answers[endpoint.host]!(call)) {
            yield [message];
          }
        },
      } as unknown as Connection), // all that a transport uses
    now: () => 0,
  });
  const transport = grpcTransport(pool, {});
  const client = (node: string) => nodeClient(node, transport, { node });
  return { asked, client };
}

const noRoute = () =>
  fail(
    new RpcError("UNAVAILABLE", "cannot connect", {
      raw:
        'connection error: desc = "transport: Error while dialing: dial tcp n1:50000: connect: no route to host"',
    }),
  );
const noForwarding = () =>
  fail(new RpcError("PERMISSION_DENIED", "no request forwarding"));
const tells = (tag: string) => () => say(versionReply(tag));

for (
  const [what, wrong] of [
    ["does not reach the node", noRoute],
    ["forwards nothing", noForwarding],
  ] as const
) {
  Deno.test(`a call that an endpoint could not forward goes through another, and later ones at once: it ${what}`, async () => {
    const { asked, client } = throughEndpoints({
      a: wrong,
      b: tells("v1"),
      c: tells("v1"),
    });
    for (const _turn of [1, 2, 3, 4, 5]) {
      const { messages } = await client("n1").machine.version({});
      assert.equal(messages[0]?.version?.tag, "v1");
    }
    assert.deepEqual(asked.filter((one) => one === "a"), ["a"]);
    assert.equal(asked.length, 6);
  });
}

Deno.test("a change that an endpoint could not forward is sent through another", async () => {
  const { asked, client } = throughEndpoints({
    a: noRoute,
    b: () => say(new Uint8Array([0x0a, 0])),
  });
  await client("n1").machine.reboot({});
  assert.deepEqual(asked, ["a", "b"]);
});

Deno.test("resets of several endpoints at once are not forwarded by one another", async () => {
  const answer = () => say(new Uint8Array([0x0a, 0]));
  const { asked, client } = throughEndpoints({
    "10.0.0.2": answer,
    "10.0.0.3": answer,
    "10.0.0.4": answer,
  });
  const names = ["10.0.0.4", "10.0.0.2", "10.0.0.3"];
  // The first call decides which endpoint is next.
  await client("10.0.0.9").machine.reset({});
  for (const name of names) await client(name).machine.reset({});
  assert.deepEqual(asked.slice(1), names);
});

Deno.test("a call that no endpoint can forward fails when each was asked once", async () => {
  const { asked, client } = throughEndpoints({ a: noRoute, b: noRoute });
  for (const turn of [1, 2]) {
    await assert.rejects(client("n1").machine.version({}), {
      message: "cannot connect",
    });
    assert.equal(asked.length, 2 * turn);
  }
});

Deno.test("grpcTransport: requests to the endpoint itself, or that may have reached a node, are not sent elsewhere", async () => {
  const lost = () =>
    fail(new RpcError("UNAVAILABLE", "error reading from server: EOF"));
  const { asked, client } = throughEndpoints({ a: lost, b: tells("v1") });
  await assert.rejects(client("n1").machine.reboot({}));
  assert.deepEqual(asked, ["a"]);
  const own = throughEndpoints({ a: noForwarding, b: tells("v1") });
  await assert.rejects(own.client("").machine.version({}));
  assert.deepEqual(own.asked, ["a"]);
});

Deno.test("after a deadline, calls to the same node go through other endpoints first", async () => {
  const { asked, client } = throughEndpoints({
    a: async function* ({ signal }) {
      yield await new Promise<never>((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason))
      );
    },
    b: tells("v1"),
  });
  await assert.rejects(
    client("n1").machine.version({}, { deadlineMs: 5 }),
    { code: "DEADLINE_EXCEEDED" },
  );
  for (const _turn of [1, 2, 3]) await client("n1").machine.version({});
  assert.deepEqual(asked, ["a", "b", "b", "b"]);
});

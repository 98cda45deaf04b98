import assert from "node:assert/strict";
import { connect as connectTcp } from "node:net";
import { ConnectError, RpcError } from "../../../errors.ts";
import {
  Connection,
  NotSentError,
} from "../../../transport/connect/connection.ts";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";
import { frame } from "../../../transport/call/frames.ts";
import { socketStream } from "../../../transport/connect/diagnostic_dial.ts";
import { startTls } from "../../../transport/connect/trust.ts";
import { serverPair } from "../_certificates.ts";
import {
  ask,
  cluster,
  connect,
  identity,
  never,
  outcome,
  readMessages,
  rpcError,
} from "../_connection.ts";
import { frameServer, http2Server } from "../_http2_server.ts";
import { startServer } from "../_server.ts";
import { pause } from "../../../lib/pause.ts";
import { keepAlive } from "../../../transport/connect/keep_alive.ts";

Deno.test("call sends request and metadata as gRPC and reads messages and status", async () => {
  const seen: Record<string, unknown>[] = [];
  await using server = await http2Server(cluster, (stream, headers) => {
    const body: number[] = [];
    stream.on("data", (chunk: Uint8Array) => body.push(...chunk));
    stream.on("end", () => {
      seen.push({ ...Object.fromEntries(Object.entries(headers)), body });
      stream.respond({
        ":status": 200,
        "content-type": "application/grpc",
      }, { waitForTrailers: true });
      stream.on("wantTrailers", () => {
        stream.sendTrailers({ "grpc-status": "0" });
      });
      stream.write(frame(new Uint8Array([5])));
      stream.end(frame(new Uint8Array([6, 7])));
    });
  });
  assert.deepEqual(await outcome(server), { values: [[5], [6, 7]] });
  assert.deepEqual(seen, [{
    ":method": "POST",
    ":path": "/test/Call",
    ":scheme": "https",
    ":authority": server.endpoint,
    "content-type": "application/grpc",
    "te": "trailers",
    "user-agent": "osctl",
    "runtime": "Talos",
    "body": [0, 0, 0, 0, 2, 1, 2],
  }]);
});

Deno.test("call raises the status that comes without a message", async () => {
  await using server = await http2Server(cluster, (stream) => {
    stream.respond({
      ":status": 200,
      "grpc-status": "5",
      "grpc-message": "no file %22x%22",
    }, { endStream: true });
  });
  const error = await rpcError(server);
  assert.equal(error.code, "NOT_FOUND");
  assert.equal(error.message, 'no file "x"');
});

Deno.test("call gives the messages before the status that failed", async () => {
  await using server = await http2Server(cluster, (stream) => {
    stream.respond({ ":status": 200 }, { waitForTrailers: true });
    stream.on("wantTrailers", () => {
      stream.sendTrailers({ "grpc-status": "14", "grpc-message": "gone" });
    });
    stream.end(frame(new Uint8Array([5])));
  });
  const { values, error } = await outcome(server);
  assert.deepEqual(values, [[5]]);
  assert.ok(error instanceof RpcError);
  assert.equal(error.code, "UNAVAILABLE");
});

Deno.test("call ends when the other side is gone without a word", async () => {
  await using server = await frameServer(cluster, () => []); // answers no ping
  const endpoint = parseEndpoint(server.endpoint);
  const raw = connectTcp(endpoint.port, endpoint.host);
  const trust = { kind: "verified", identity } as const;
  const socket = startTls(raw, endpoint, trust);
  const connection = await Connection.open(socketStream(socket), {
    endpoint,
    signal: never,
    keepAlive: { everyMs: 10, timeoutMs: 10 },
  });
  await assert.rejects(ask(connection).next(), (error) => {
    assert.ok(error instanceof ConnectError);
    assert.equal(error.reason, "lost");
    assert.equal(
      (error.cause as Error).message,
      "No answer to a ping within 10 ms",
    );
    return true;
  });
  assert.equal(connection.usable, false);
});

/** Makes a call that runs out of time. */
async function askInVain(connection: Connection): Promise<void> {
  const controller = new AbortController();
  const pending = ask(connection, undefined, controller.signal).next();
  controller.abort(new RpcError("DEADLINE_EXCEEDED", "late"));
  await assert.rejects(pending, { code: "DEADLINE_EXCEEDED" });
}

Deno.test("a connection is doubtful from a call that ran out of time to the next sign of life", async () => {
  await using server = await http2Server(cluster, () => {});
  const connection = await connect(server);
  assert.equal(connection.doubtful, false);
  await askInVain(connection);
  assert.equal(connection.doubtful, true);
  while (connection.doubtful) await pause(1);
  assert.equal(connection.usable, true);
  connection.close();
});

Deno.test("a connection ends whose calls all run out of time before the next ping", async () => {
  await using server = await frameServer(cluster, () => []); // answers no ping
  const endpoint = parseEndpoint(server.endpoint);
  const raw = connectTcp(endpoint.port, endpoint.host);
  const socket = startTls(raw, endpoint, { kind: "verified", identity });
  const connection = await Connection.open(socketStream(socket), {
    endpoint,
    signal: never,
    keepAlive: { everyMs: 60_000, timeoutMs: 10 },
  });
  await askInVain(connection);
  assert.equal(connection.doubtful, true);
  while (connection.usable) await pause(1);
});

Deno.test("call on a closed connection raises NotSentError", async () => {
  await using server = await http2Server(cluster, () => {});
  const connection = await connect(server);
  connection.close();
  await assert.rejects(ask(connection).next(), NotSentError);
});

Deno.test("call under way ends when the connection is closed", async () => {
  await using server = await http2Server(cluster, (stream) => {
    stream.respond({ ":status": 200 });
    stream.write(frame(new Uint8Array([1])));
  });
  const connection = await connect(server);
  const messages = ask(connection);
  await messages.next();
  connection.close();
  await assert.rejects(messages.next(), ConnectError);
});

Deno.test("call raises the reason of its signal and tells the server", async () => {
  const ended = Promise.withResolvers<number>();
  await using server = await http2Server(cluster, (stream) => {
    stream.respond({ ":status": 200 });
    stream.on("close", () => ended.resolve(stream.rstCode));
  });
  const connection = await connect(server);
  const controller = new AbortController();
  const reason = new Error("enough");
  const pending = ask(connection, undefined, controller.signal).next();
  await new Promise((resolve) => setTimeout(resolve));
  controller.abort(reason);
  await assert.rejects(pending, (error) => error === reason);
  assert.equal(await ended.promise, 8); // CANCEL
  assert.equal(connection.usable, true);
  connection.close();
});

Deno.test("call ends at the server when its reader leaves", async () => {
  const ended = Promise.withResolvers<number>();
  await using server = await http2Server(cluster, (stream) => {
    stream.respond({ ":status": 200 });
    stream.write(frame(new Uint8Array([1])));
    stream.on("close", () => ended.resolve(stream.rstCode));
  });
  const connection = await connect(server);
  for await (const _message of ask(connection)) break;
  assert.equal(await ended.promise, 8); // CANCEL
  connection.close();
});

Deno.test("call stops a server whose answers are not read, and no other call", async () => {
  let sent = 0;
  await using server = await http2Server(cluster, (stream, headers) => {
    if (headers[":path"] === "/test/Other") {
      stream.respond({ ":status": 200, "grpc-status": "0" });
      return stream.end(frame(new Uint8Array(100_000)));
    }
    stream.respond({ ":status": 200 });
    const megabyte = frame(new Uint8Array(1024 * 1024));
    const more = () => {
      while (sent < 200 && stream.write(megabyte)) sent++;
      sent++;
    };
    stream.on("drain", more);
    more();
  });
  const connection = await connect(server);
  const messages = ask(connection);
  await messages.next();
  let before = -1;
  while (before !== sent) {
    before = sent;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.ok(sent < 40, `${sent} MB were sent`);
  const other = readMessages(connection, {
    path: "/test/Other",
    metadata: {},
    request: new Uint8Array(),
    signal: never,
  });
  assert.equal((await other.next()).value?.length, 100_000);
  await other.return(undefined);
  await messages.return(undefined);
  connection.close();
});

Deno.test("call sends a stream of requests and ends it", async () => {
  await using server = await startServer({
    pair: await serverPair(cluster),
    routes: { "/test/Call": (call) => call.requests },
  });
  async function* requests() {
    yield new Uint8Array([1]);
    yield new Uint8Array(100_000).fill(2);
    yield new Uint8Array([3]);
  }
  const connection = await connect(server);
  const lengths: number[] = [];
  for await (const { length } of ask(connection, requests())) {
    lengths.push(length);
  }
  assert.deepEqual(lengths, [1, 100_000, 1]);
  connection.close();
});

Deno.test("call raises what its requests raise, and the server sees no end of them", async () => {
  const seen = Promise.withResolvers<string>();
  await using server = await http2Server(cluster, (stream) => {
    stream.on("end", () => seen.resolve("end"));
    stream.on("aborted", () => seen.resolve("aborted"));
    stream.resume();
  });
  const broken = new Error("cannot read file");
  async function* requests(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array([1]);
    await Promise.reject(broken);
  }
  const connection = await connect(server);
  await assert.rejects(
    ask(connection, requests()).next(),
    (error) => error === broken,
  );
  assert.equal(await seen.promise, "aborted");
  connection.close();
});

Deno.test("calls beyond what the server serves at once wait their turn", async () => {
  let open = 0;
  let most = 0;
  await using server = await http2Server(cluster, (stream) => {
    most = Math.max(most, ++open);
    stream.on("close", () => open--);
    setTimeout(() => {
      stream.respond({ ":status": 200, "grpc-status": "0" }, {
        endStream: true,
      });
    }, 5);
  }, { maxConcurrentStreams: 2 });
  const connection = await connect(server);
  await Promise.all(
    Array.from({ length: 20 }, () => ask(connection).next()),
  );
  assert.ok(most <= 3, `${most} at once`);
  connection.close();
});

Deno.test("a connection stays usable when the server resets one of its streams", async () => {
  await using server = await startServer({
    pair: await serverPair(cluster),
    routes: {
      "/test/Call": async function* () {
        yield await Promise.reject(new RpcError("ABORTED", "no"));
      },
    },
  });
  const connection = await connect(server);
  await assert.rejects(ask(connection).next(), { code: "ABORTED" });
  assert.equal(connection.usable, true);
  connection.close();
});

/** A session that answers pings or not, and tells when it was pinged and how it ended. */
function fakeSession(answers: boolean) {
  const pinged = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  let pings = 0;
  return {
    pinged: pinged.promise,
    ended: ended.promise,
    count: () => pings,
    ping(callback: unknown) {
      if (answers) (callback as () => void)();
      if (++pings === 3) pinged.resolve();
      return true;
    },
    destroy: (error?: unknown) => ended.resolve(error),
  };
}

Deno.test("keepAlive pings once started, and keeps a session that answers", async () => {
  const session = fakeSession(true);
  const pings = keepAlive(session, { everyMs: 1, timeoutMs: 1 });
  pings.start();
  pings.start();
  await session.pinged;
  pings.stop();
  const ended = await Promise.race([session.ended, Promise.resolve("alive")]);
  assert.equal(ended, "alive");
});

Deno.test("keepAlive ends a session that does not answer", async () => {
  const session = fakeSession(false);
  const pings = keepAlive(session, { everyMs: 1, timeoutMs: 5 });
  pings.start();
  const error = await session.ended;
  pings.stop();
  assert.equal((error as Error).message, "No answer to a ping within 5 ms");
});

const watched = { sanitizeOps: true }; // a timer left behind fails the test

Deno.test(
  "keepAlive that was stopped leaves no timer behind",
  watched,
  async () => {
    const session = fakeSession(false);
    const pings = keepAlive(session, { everyMs: 1, timeoutMs: 60_000 });
    pings.start();
    await session.pinged;
    pings.stop();
    pings.stop();
  },
);

import assert from "node:assert/strict";
import { ConnectError, RpcError } from "../../errors.ts";
import { Connection, NotSentError } from "../../transport/connection.ts";
import { dial } from "../../transport/dial.ts";
import { parseEndpoint } from "../../transport/endpoint.ts";
import { connect as connectTcp } from "node:net";
import { startTls } from "../../transport/trust.ts";
import { frame } from "../../transport/frames.ts";
import {
  authorityPem,
  clientIdentity,
  newAuthority,
  serverPair,
} from "./_certificates.ts";
import {
  type BareServer,
  bytesOf,
  frameServer,
  frameType,
  http2Server,
} from "./_http2_server.ts";
import { startServer } from "./_server.ts";

const never = new AbortController().signal;
const cluster = await newAuthority();
const identity = { ca: authorityPem(cluster) };

function connect({ endpoint }: { readonly endpoint: string }) {
  return dial({
    endpoint: parseEndpoint(endpoint),
    trust: { kind: "verified", identity },
    timeoutMs: 5_000,
    signal: never,
  });
}

function ask(
  connection: Connection,
  request: Uint8Array | AsyncIterable<Uint8Array> = new Uint8Array([1, 2]),
  signal = never,
) {
  const metadata = { runtime: "Talos" };
  return connection.call({ path: "/test/Call", metadata, request, signal });
}

/** What one call to a server gives, and how it ends. */
async function outcome(server: BareServer) {
  const connection = await connect(server);
  const values: number[][] = [];
  try {
    for await (const message of ask(connection)) values.push([...message]);
    return { values };
  } catch (error) {
    return { values, error };
  } finally {
    connection.close();
  }
}

async function rpcError(server: BareServer): Promise<RpcError> {
  const { error } = await outcome(server);
  assert.ok(error instanceof RpcError, String(error));
  return error;
}

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

const wrongAnswers = [
  {
    title: "a message that is cut off",
    body: [0, 0, 0, 0, 9, 1],
    trailers: { "grpc-status": "0" },
    code: "INTERNAL",
    message: "The answer ends in the middle of a message",
  },
  {
    title: "a message that is said to be 4 GB long",
    body: [0, 255, 255, 255, 255, 1],
    trailers: { "grpc-status": "0" },
    code: "RESOURCE_EXHAUSTED",
    message:
      "The answer has a message of 4294967295 bytes, and 33554432 are allowed",
  },
  {
    title: "no status",
    body: [0, 0, 0, 0, 0],
    trailers: {},
    code: "INTERNAL",
    message: /^"127\.0\.0\.1:\d+" ended the call without a status$/,
  },
  {
    title: "a status that is no number",
    body: [],
    trailers: { "grpc-status": "fine" },
    code: "UNKNOWN",
    message: "",
  },
  {
    title: "a web page",
    status: 404,
    body: [...new TextEncoder().encode("<html>not found</html>")],
    trailers: {},
    code: "UNIMPLEMENTED",
    message: /answers with HTTP status 404$/,
  },
] as const;

for (const { title, body, trailers, code, message, ...rest } of wrongAnswers) {
  Deno.test(`call refuses ${title}`, async () => {
    await using server = await http2Server(cluster, (stream) => {
      const status = "status" in rest ? rest.status : 200;
      stream.respond({ ":status": status }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ ...trailers }));
      stream.end(new Uint8Array(body));
    });
    const error = await rpcError(server);
    assert.equal(error.code, code);
    if (typeof message === "string") assert.equal(error.message, message);
    else assert.match(error.message, message);
  });
}

Deno.test("call raises NotSentError when the server refuses the stream", async () => {
  await using server = await frameServer(cluster, (stream) => [
    bytesOf(frameType.rstStream, stream, [0, 0, 0, 7]),
  ]);
  const { error } = await outcome(server);
  assert.ok(error instanceof NotSentError, String(error));
});

Deno.test("call raises NotSentError when the server leaves before the stream", async () => {
  await using server = await frameServer(cluster, () => [
    bytesOf(frameType.goaway, 0, [0, 0, 0, 0, 0, 0, 0, 0]),
  ]);
  const { error } = await outcome(server);
  assert.ok(error instanceof NotSentError, String(error));
});

Deno.test("call raises the code of a reset stream", async () => {
  await using server = await frameServer(cluster, (stream) => [
    bytesOf(frameType.rstStream, stream, [0, 0, 0, 11]),
  ]);
  const error = await rpcError(server);
  assert.equal(error.code, "RESOURCE_EXHAUSTED");
});

Deno.test("call tells that the connection was lost", async () => {
  await using server = await frameServer(cluster, () => "close");
  const { error } = await outcome(server);
  assert.ok(error instanceof ConnectError, String(error));
  assert.equal(error.reason, "reset");
  assert.equal(
    error.message,
    `Connection to "${server.endpoint}" was lost during the call`,
  );
});

Deno.test("call ends when the other side is gone without a word", async () => {
  await using server = await frameServer(cluster, () => []); // answers no ping
  const endpoint = parseEndpoint(server.endpoint);
  const raw = connectTcp(endpoint.port, endpoint.host);
  const trust = { kind: "verified", identity } as const;
  const socket = startTls(raw, endpoint, trust);
  const connection = await Connection.open(socket, {
    endpoint,
    signal: never,
    keepAlive: { everyMs: 10, timeoutMs: 10 },
  });
  await assert.rejects(ask(connection).next(), (error) => {
    assert.ok(error instanceof ConnectError);
    assert.equal(error.reason, "reset");
    assert.equal(
      (error.cause as Error).message,
      "No answer to a ping within 10 ms",
    );
    return true;
  });
  assert.equal(connection.usable, false);
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

Deno.test("call stops a server whose answers nobody reads, and no other call", async () => {
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
  const other = connection.call({
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
    clients: cluster,
    routes: {
      "/test/Call": async function* () {
        yield await Promise.reject(new RpcError("ABORTED", "no"));
      },
    },
  });
  const connection = await dial({
    endpoint: parseEndpoint(server.endpoint),
    trust: { kind: "verified", identity: await clientIdentity(cluster) },
    timeoutMs: 5_000,
    signal: never,
  });
  await assert.rejects(ask(connection).next(), { code: "ABORTED" });
  assert.equal(connection.usable, true);
  connection.close();
});

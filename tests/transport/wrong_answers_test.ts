import assert from "node:assert/strict";
import { ConnectError } from "../../errors.ts";
import { NotSentError } from "../../transport/connect/connection.ts";
import { cluster, outcome, rpcError } from "./_connection.ts";
import {
  encodeFrame,
  frameServer,
  frameType,
  http2Server,
} from "./_http2_server.ts";

const wrongAnswers = [
  {
    title: "a message that is truncated",
    body: [0, 0, 0, 0, 9, 1],
    trailers: { "grpc-status": "0" },
    code: "DATA_LOSS",
    message: "The response ends in the middle of a message",
  },
  {
    title: "a message that is said to be 4 GB long",
    body: [0, 255, 255, 255, 255, 1],
    trailers: { "grpc-status": "0" },
    code: "RESOURCE_EXHAUSTED",
    message:
      "The response has a message of 4294967295 bytes, and 33554432 are allowed",
  },
  {
    title: "a message that is said to be one byte longer than allowed",
    body: [0, 2, 0, 0, 1, 1],
    trailers: { "grpc-status": "0" },
    code: "RESOURCE_EXHAUSTED",
    message:
      "The response has a message of 33554433 bytes, and 33554432 are allowed",
  },
  {
    title: "a cut-off message of exactly the allowed length",
    body: [0, 2, 0, 0, 0, 1],
    trailers: { "grpc-status": "0" },
    code: "DATA_LOSS",
    message: "The response ends in the middle of a message",
  },
  {
    title: "no status",
    body: [0, 0, 0, 0, 0],
    trailers: {},
    code: "UNAVAILABLE",
    message: /^"127\.0\.0\.1:\d+" ended the call without a status$/,
  },
  {
    title: "a status that is not a number",
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
    encodeFrame(frameType.rstStream, stream, [0, 0, 0, 7]),
  ]);
  const { error } = await outcome(server);
  assert.ok(error instanceof NotSentError, String(error));
});

Deno.test("call raises NotSentError when the server leaves before the stream", async () => {
  await using server = await frameServer(cluster, () => [
    encodeFrame(frameType.goaway, 0, [0, 0, 0, 0, 0, 0, 0, 0]),
  ]);
  const { error } = await outcome(server);
  assert.ok(error instanceof NotSentError, String(error));
});

Deno.test("call raises the code of a reset stream", async () => {
  await using server = await frameServer(cluster, (stream) => [
    encodeFrame(frameType.rstStream, stream, [0, 0, 0, 11]),
  ]);
  const error = await rpcError(server);
  assert.equal(error.code, "RESOURCE_EXHAUSTED");
});

Deno.test("call tells that the connection was lost", async () => {
  await using server = await frameServer(cluster, () => "close");
  const { error } = await outcome(server);
  assert.ok(error instanceof ConnectError, String(error));
  assert.equal(error.reason, "lost");
  assert.equal(
    error.message,
    `Connection to "${server.endpoint}" was lost during the call`,
  );
});

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import grpc from "@grpc/grpc-js";
import { RpcError } from "../../../errors.ts";
import { serveHttp2 } from "../../../simulator/wire/http2_server.ts";
import { answerMessages, answerUnary } from "../../../simulator/wire/unary.ts";

const same = (bytes: Buffer) => bytes;

/** Serves one connection: `/one` answers what it got, `/many` each message of a call, both but "bad". */
function serve(): {
  readonly client: grpc.Client;
  readonly close: () => void;
} {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const refuse = (message: Uint8Array) => {
    if (new TextDecoder().decode(message) === "bad") {
      throw new RpcError("INVALID_ARGUMENT", "it is bad");
    }
  };
  (async () => {
    for await (const connection of listener) {
      await serveHttp2(
        {
          read: (into) => connection.read(into).catch(() => null),
          write: (from) => connection.write(from),
          close: () => connection.close(),
        },
        (stream) =>
          stream.fields.some(([, value]) => value === "/many")
            ? answerMessages(stream, 1024, async (received, send) => {
              for await (const message of received) {
                refuse(message);
                send(message);
              }
            })
            : answerUnary(stream, (_path, request) => {
              refuse(request);
              return Promise.resolve(request);
            }),
      );
    }
  })();
  const client = new grpc.Client(
    `127.0.0.1:${listener.addr.port}`,
    grpc.credentials.createInsecure(),
  );
  return {
    client,
    close() {
      client.close();
      listener.close();
    },
  };
}

Deno.test("answerMessages answers while messages come, and ends with a status", async () => {
  const { client, close } = serve();
  const call = (texts: readonly string[]) =>
    new Promise<string[]>((resolve) => {
      const stream = client.makeBidiStreamRequest("/many", same, same);
      const said: string[] = [];
      stream.on("data", (message: Buffer) => said.push(`${message}`));
      stream.on("error", () => {});
      stream.on(
        "status",
        ({ code }: grpc.StatusObject) => resolve([...said, `${code}`]),
      );
      for (const text of texts) stream.write(Buffer.from(text));
      stream.end();
    });
  try {
    assert.deepEqual(await call(["a", "b"]), ["a", "b", "0"]);
    assert.deepEqual(await call(["a", "bad", "b"]), ["a", "3"]);
  } finally {
    close();
  }
});

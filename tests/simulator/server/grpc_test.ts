import assert from "node:assert/strict";
import http2 from "node:http2";
import { decodePrivateKey, encodePkcs8 } from "../../../pki/private_key.ts";
import { frame } from "../../../transport/call/frames.ts";
import { LogsRequest } from "../../../transport/gen/machine.ts";
import { withCluster } from "../../_cluster.ts";

const calls = [
  {
    title: "a method of no service",
    headers: { ":path": "/machine.Other/Version" },
    answer: {
      "grpc-status": "12",
      "grpc-message": "unknown method /machine.Other/Version",
    },
  },
  {
    title: "a time that is up",
    headers: { "grpc-timeout": "1m" },
    answer: { "grpc-status": "4", "grpc-message": "Deadline exceeded" },
  },
  {
    title: "something else than gRPC",
    headers: { "content-type": "text/plain" },
    answer: { ":status": 415 },
  },
  {
    title: "a name that no header can carry as it is",
    headers: { node: "a:b:%\u00e9" },
    answer: {
      "grpc-status": "13",
      "grpc-message": 'invalid target "a:b:%25%C3%A9"',
    },
  },
] as const;

for (const { title, headers, answer } of calls) {
  Deno.test(`a node answers ${title} with a status alone`, async () => {
    await withCluster({}, async (cluster) => {
      const { ca, crt: cert, key } = cluster.adminIdentity;
      const session = http2.connect(`https://${cluster.endpoints[0]}`, {
        ca,
        cert,
        key: encodePkcs8(decodePrivateKey(key)),
        checkServerIdentity: () => undefined,
      });
      const stream = session.request({
        ":method": "POST",
        ":path": "/machine.MachineService/Logs",
        "content-type": "application/grpc",
        ...headers,
      });
      const body = LogsRequest.encode(
        LogsRequest.fromPartial({
          namespace: "system",
          id: "apid",
          follow: true,
        }),
      ).finish();
      stream.end(frame(body));
      const seen = await new Promise((resolve) =>
        stream.on("response", resolve)
      );
      for (const [name, value] of Object.entries(answer)) {
        assert.equal((seen as Record<string, unknown>)[name], value);
      }
      session.destroy();
    });
  });
}

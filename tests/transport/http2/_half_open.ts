/**
 * Loses all packets of a connection amid a call, and prints what the call makes of it.
 *
 * To be run in a network of its own, with the milliseconds between two pings, which are also those to their answer.
 */

import { ConnectError } from "../../../errors.ts";
import { Connection } from "../../../transport/connect/connection.ts";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";
import { frame, frameReader } from "../../../transport/call/frames.ts";
import { connectTls } from "../../../transport/connect/runtime_tls.ts";
import { toCaPem } from "../_certificates.ts";
import { cluster, never } from "../_connection.ts";
import { http2Server } from "../_http2_server.ts";

const [text] = Deno.args;
const pingMs = Number(text);
const server = await http2Server(cluster, (stream) => {
  stream.respond({ ":status": 200 });
  stream.write(frame(new Uint8Array([1])));
});
const endpoint = parseEndpoint(server.endpoint);
const ca = toCaPem(cluster);
const { bytes } = await connectTls(
  {
    endpoint,
    trust: { kind: "verified", identity: { ca } },
    timeoutMs: 5_000,
    signal: never,
  },
  { ca, caKeys: [] },
  { stage: "tcp", sockets: [] },
);
const connection = await Connection.open(bytes, {
  endpoint,
  signal: never,
  keepAlive: { everyMs: pingMs, timeoutMs: pingMs },
});
const call = {
  path: "/test/Call",
  metadata: {},
  request: new Uint8Array(),
  signal: never,
};
try {
  for await (const _ of connection.read(call, frameReader(10))) {
    await lose(endpoint.port);
    await print("lost");
  }
} catch (error) {
  if (!(error instanceof ConnectError)) throw error;
  await print(`${error.reason}: ${(error.cause as Error).message}`);
}
Deno.exit(0);

async function lose(port: number): Promise<void> {
  const rules = `add table inet lost
add chain inet lost input { type filter hook input priority 0; }
add rule inet lost input tcp sport ${port} drop
add rule inet lost input tcp dport ${port} drop`;
  const { success } = await new Deno.Command("nft", { args: [rules] }).output();
  if (!success) throw new Error("nft does not take the rules");
}

async function print(text: string): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(`${text}\n`));
}

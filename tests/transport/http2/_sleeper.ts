/** Makes a call without TLS to a port of this machine, and prints its messages; the process is stopped meanwhile. */

import { frameReader } from "../../../transport/call/frames.ts";
import { Connection } from "../../../transport/connect/connection.ts";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";
import { never } from "../_connection.ts";

const [port, timeoutMs] = Deno.args;
const connection = await Connection.open(
  await Deno.connect({ hostname: "127.0.0.1", port: Number(port) }),
  {
    endpoint: parseEndpoint(`127.0.0.1:${port}`),
    signal: never,
    keepAlive: { everyMs: 1, timeoutMs: Number(timeoutMs) },
  },
);
const path = "/test/Call";
const call = { path, metadata: {}, request: new Uint8Array(), signal: never };
const encoder = new TextEncoder();
try {
  for await (const messages of connection.read(call, frameReader(10))) {
    // Several may come at once.
    for (const message of messages) {
      await Deno.stdout.write(encoder.encode(`${message}\n`));
    }
  }
} catch (error) {
  await Deno.stdout.write(
    encoder.encode(`${error}: ${(error as Error).cause}`),
  );
}
Deno.exit(0);

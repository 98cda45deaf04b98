/** Connects through an HTTPS proxy; run with a CA that the system trusts. */

import { readMessages } from "../_connection.ts";
import { dial } from "../../../transport/connect/dial.ts";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";
import { parseProxy } from "../../../transport/connect/proxy.ts";

const [proxy = "", endpoint = ""] = Deno.args;

const connection = await dial({
  endpoint: parseEndpoint(endpoint),
  proxy: parseProxy(proxy),
  trust: { kind: "maintenance", fingerprints: [] },
  timeoutMs: 5_000,
  signal: new AbortController().signal,
});
for await (
  const message of readMessages(connection, {
    path: "/test/Echo",
    metadata: {},
    request: new Uint8Array([7, 8, 9]),
    signal: new AbortController().signal,
  })
) {
  // deno-lint-ignore no-console
  console.log(`answer ${message.join()}`);
}
connection.close();
Deno.exit(0);

/** Connects to an endpoint, with CAs from a file, and prints how that ended. */

import { ConnectError } from "../../../errors.ts";
import { dial } from "../../../transport/connect/dial.ts";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";

const [endpoint = "", trusted = ""] = Deno.args;
const outcome = await dial({
  endpoint: parseEndpoint(endpoint),
  trust: {
    kind: "verified",
    identity: { ca: await Deno.readTextFile(trusted) },
  },
  timeoutMs: 5_000,
  signal: new AbortController().signal,
}).then(
  () => "connected",
  (error) => error instanceof ConnectError ? error.reason : String(error),
);
// deno-lint-ignore no-console
console.log(outcome);
Deno.exit(0);

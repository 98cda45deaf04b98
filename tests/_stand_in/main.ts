/** Program of a stand-in node, in a container or a virtual machine; argument: folder for its state. */

import { serveStandIn } from "./serve.ts";

const [folder = "/var/stand-in"] = Deno.args;
const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.addSignalListener(signal, () => stop.abort());
}
const userdata = Deno.env.get("USERDATA");
const { signal } = stop;
for await (const _ of serveStandIn({ userdata, folder, signal })) {
  Deno.stdout.writeSync(new TextEncoder().encode("joined\n"));
}

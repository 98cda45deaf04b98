/** The DHCP servers of a cluster, for tests inside a network namespace; the argument is the lease as JSON. */

import { serveDhcp } from "../../../../provisioners/qemu/servers/dhcp_server.ts";

const [lease = "", mac6 = ""] = Deno.args;
await serveDhcp({
  bridge: "br0",
  ipv4: "10.5.0.1",
  mac6,
  leases: [JSON.parse(lease)],
  log: () => {},
});
// Tells the test that it may begin.
await Deno.stdout.write(new TextEncoder().encode("ready\n"));

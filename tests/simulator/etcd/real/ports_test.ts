import assert from "node:assert/strict";
import {
  freePorts,
  usualPorts,
} from "../../../../simulator/etcd/real/ports.ts";

Deno.test("nodes have etcd on the ports everybody knows", () => {
  assert.deepEqual(usualPorts, { peerPort: 2380, clientPort: 2379 });
});

Deno.test("free ports can be listened on, both at once, below those of connections", () => {
  const { host, peerPort, clientPort } = freePorts("127.0.0.1");
  assert.equal(host, "127.0.0.1");
  for (const port of [peerPort, clientPort]) {
    assert.ok(port >= 20_000 && port < 32_000, `${port}`);
  }
  using _peer = Deno.listen({ hostname: host, port: peerPort });
  using _client = Deno.listen({ hostname: host, port: clientPort });
});

Deno.test("an address of another machine has no free ports", () => {
  assert.throws(() => freePorts("192.0.2.1"), Deno.errors.AddrNotAvailable);
});

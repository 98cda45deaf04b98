import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import {
  nameserversIn,
  serveDns,
} from "../../../../provisioners/qemu/servers/dns.ts";
import { needs } from "../../../_needs.ts";
import { command } from "../_command.ts";

/** No other program is here: a port that is free for UDP is free for TCP, too. */
const host = "127.53.0.1";

/** A name server with one answer to everything: a code and, without error, 192.0.2.7. */
async function nameserver(code: number) {
  const reply = (query: Uint8Array) => {
    const answer = code === 0
      ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]
      : [];
    // Up to the end of the question; what dig adds behind it is left out.
    const end = query.indexOf(0, 12) + 5;
    const bytes = Uint8Array.from([...query.subarray(0, end), ...answer]);
    bytes.set([0x81, 0x80 | code, 0, 1, 0, answer.length > 0 ? 1 : 0], 2);
    bytes.set([0, 0, 0, 0], 8);
    return bytes;
  };
  const udp = createSocket("udp4");
  let asked = 0;
  udp.on("message", (query, { port, address }) => {
    asked++;
    udp.send(reply(query), port, address);
  });
  await new Promise<void>((resolve) => udp.bind(0, host, resolve));
  const { port } = udp.address();
  const tcp = Deno.listen({ hostname: host, port });
  const serving = (async () => {
    for await (const connection of tcp) {
      const buffer = new Uint8Array(600);
      const count = await connection.read(buffer) ?? 0;
      const bytes = reply(buffer.slice(2, count));
      await connection.write(Uint8Array.from([0, bytes.length, ...bytes]));
      connection.close();
    }
  })();
  return {
    address: `${host}:${port}`,
    asked: () => asked,
    async close() {
      udp.close();
      tcp.close();
      await serving.catch(() => {});
    },
  };
}

Deno.test(
  "serveDns forwards to the next name server when one refuses, by UDP and by TCP",
  needs("dig"),
  async () => {
    const [failing, refusing, good] = [
      await nameserver(2),
      await nameserver(5),
      await nameserver(0),
    ];
    const upstreams = [failing, refusing, good].map(({ address }) => address);
    const server = await serveDns({
      host,
      port: 0,
      upstreams: () => Promise.resolve(upstreams),
    });
    const dig = [
      "dig",
      `@${host}`,
      "-p",
      `${server.port}`,
      "+short",
      "+tries=1",
    ];
    try {
      assert.equal(
        (await command([...dig, "node.example.org"])).out,
        "192.0.2.7\n",
      );
      assert.equal(failing.asked(), 1);
      assert.equal(
        (await command([...dig, "+tcp", "node.example.org"])).out,
        "192.0.2.7\n",
      );
    } finally {
      server.close();
      for (const one of [failing, refusing, good]) await one.close();
    }
  },
);

Deno.test(
  "serveDns says that it failed when no name server answers",
  needs("dig"),
  async () => {
    const server = await serveDns({
      host,
      port: 0,
      upstreams: () => Promise.resolve(["127.0.0.1:9"]),
      timeoutMs: 50,
    });
    try {
      const { out } = await command([
        "dig",
        `@${host}`,
        "-p",
        `${server.port}`,
        "+tries=1",
        "example.org",
      ]);
      assert.match(out, /status: SERVFAIL/);
    } finally {
      server.close();
    }
  },
);

Deno.test("nameserversIn reads a resolv.conf", () => {
  const text =
    "# nameserver 1.1.1.1\nnameserver 192.0.2.1\n nameserver 2001:db8::1 \nsearch x\n";
  assert.deepEqual(nameserversIn(text), ["192.0.2.1", "2001:db8::1"]);
});

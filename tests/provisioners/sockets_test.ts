import assert from "node:assert/strict";
import { serveTcp } from "../../provisioners/sockets.ts";

const loopback = { host: "127.0.0.1", port: 0 };

Deno.test("serveTcp ends connections and gives its port back when it is closed", async () => {
  const server = serveTcp(loopback, async (connection) => {
    await connection.read(new Uint8Array(1));
  });
  const client = await Deno.connect({ port: server.port });
  server.close();
  assert.equal(await client.read(new Uint8Array(1)).catch(() => null), null);
  client.close();
  serveTcp({ ...loopback, port: server.port }, async () => {}).close();
});

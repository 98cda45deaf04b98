import assert from "node:assert/strict";
import { connect as connectPlain } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { serverIdentity } from "../../../simulator/state/identities.ts";
import {
  listenSilently,
  listenTls,
} from "../../../simulator/wire/listening.ts";
import { madeNodes } from "../_node.ts";

const here = { host: "127.0.0.1", port: 0 };

Deno.test("a TLS listener speaks version 1.3 and hands the connection over", async () => {
  const [node] = await madeNodes({ unconfigured: () => true });
  const accepted: TLSSocket[] = [];
  const { port, close } = await listenTls(
    here,
    await serverIdentity(node!, here.host),
    { accept: (socket) => accepted.push(socket) },
  );
  const socket = connect({
    host: here.host,
    port,
    rejectUnauthorized: false,
    ALPNProtocols: ["h2"],
    servername: "node",
  });
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  assert.deepEqual([socket.getProtocol(), socket.alpnProtocol], [
    "TLSv1.3",
    "h2",
  ]);
  socket.destroy();
  for (const one of accepted) one.destroy();
  await close();
});

Deno.test("a silent listener takes connections, and ends them when it stops", async () => {
  const { port, close } = await listenSilently(here);
  const socket = connectPlain({ ...here, port });
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write("hello");
  const heard: unknown[] = [];
  socket.on("data", (data) => heard.push(data));
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await close();
  await closed;
  assert.deepEqual(heard, []);
});

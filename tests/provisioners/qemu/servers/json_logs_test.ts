import assert from "node:assert/strict";
import { serveJsonLogs } from "../../../../provisioners/qemu/servers/json_logs.ts";

const loopback = { host: "127.0.0.1", port: 0 };

Deno.test("serveJsonLogs keeps lines of JSON with the address of their node", async () => {
  const lines: string[] = [];
  const { promise: second, resolve } = Promise.withResolvers<void>();
  const server = serveJsonLogs({
    ...loopback,
    write(line) {
      lines.push(line);
      if (lines.length === 2) resolve();
      return Promise.resolve();
    },
  });
  const client = await Deno.connect({ port: server.port });
  const text = '{"msg":"one"}\nno JSON\n{"msg":"två"}\n';
  await client.write(new TextEncoder().encode(text));
  await second;
  client.close();
  server.close();
  assert.deepEqual(lines, [
    '{"node":"127.0.0.1","msg":"one"}\n',
    '{"node":"127.0.0.1","msg":"två"}\n',
  ]);
});

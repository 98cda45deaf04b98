/** Sends a GOAWAY over a connection without calls, from the server and from the client, and prints what is left. */

import http2, {
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import "../../../simulator/wire/http2_close_workaround.ts";

for (const from of ["server", "client"] as const) {
  const server = http2.createServer();
  const accepted = new Promise<ServerHttp2Session>((resolve) =>
    server.on("session", resolve)
  );
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.respond({ ":status": 200 });
    stream.end("x");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const session = http2.connect(`http://127.0.0.1:${port}`);
  const stream = session.request({ ":path": "/" });
  stream.resume();
  await new Promise((resolve) => stream.on("close", resolve));
  const sides = [await accepted, session];
  const ended = sides.map((side) =>
    new Promise((resolve) => side.on("close", resolve))
  );
  if (from === "server") sides[0]?.goaway();
  else session.close();
  await Promise.all(ended);
  await new Promise((resolve) => server.close(resolve));
  // deno-lint-ignore no-console
  console.log(from, sides.map((side) => side.destroyed).join(" "));
}

/** The client against servers of other makes, where they are installed. */

import assert from "node:assert/strict";
import type { HeaderField } from "../../../transport/http2/header_table.ts";
import { Http2Session } from "../../../transport/http2/session.ts";
import { never } from "./_peer.ts";

function installed(...programs: readonly string[]): boolean {
  return programs.every((program) =>
    ["/usr/bin", "/usr/sbin", "/sbin", "/bin"].some((folder) => {
      try {
        return Deno.statSync(`${folder}/${program}`).isFile;
      } catch {
        return false;
      }
    })
  );
}

/** Asks for a path; gives the fields of header and trailer, and how much content came. */
async function ask(session: Http2Session, path: string) {
  const fields: HeaderField[] = [];
  let size = 0;
  const done = Promise.withResolvers<void>();
  const stream = session.request([
    [":method", "GET"],
    [":scheme", "http"],
    [":path", path],
    [":authority", "test"],
  ], {
    headers: (all) => void fields.push(...all),
    data(bytes) {
      size += bytes.length;
      queueMicrotask(() => stream.consumed(bytes.length));
    },
    ended: done.resolve,
    failed: (failure) => done.reject(new Error(failure.kind)),
  });
  stream.end();
  await done.promise;
  return { fields: new Map(fields), size };
}

Deno.test({
  name:
    "nghttpd serves large files, trailers, and more requests than it takes at once",
  ignore: !installed("nghttpd"),
  async fn() {
    const folder = await Deno.makeTempDir();
    await Deno.writeFile(`${folder}/large`, new Uint8Array(3_000_000));
    await Deno.writeFile(`${folder}/small`, new Uint8Array(10));
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    listener.close();
    const server = new Deno.Command("nghttpd", {
      args: [
        ...["--no-tls", "-a", "127.0.0.1", "-m", "5", "-d", folder],
        ...["--trailer", "grpc-status: 0", "--padding", "50", String(port)],
      ],
      stdout: "null",
      stderr: "null",
    }).spawn();
    const session = await Http2Session.open(await reached(port), never);
    const large = await ask(session, "/large");
    assert.equal(large.size, 3_000_000);
    assert.equal(large.fields.get(":status"), "200");
    assert.equal(large.fields.get("grpc-status"), "0");
    const missing = await ask(session, "/missing");
    assert.equal(missing.fields.get(":status"), "404");
    const small = await Promise.all(
      Array.from({ length: 10_000 }, () => ask(session, "/small")),
    );
    assert.equal(small.filter(({ size }) => size === 10).length, 10_000);
    session.destroy(new Error("over"));
    server.kill("SIGKILL");
    await server.status;
    await Deno.remove(folder, { recursive: true });
  },
});

/** Connects as soon as somebody listens. */
async function reached(port: number): Promise<Deno.TcpConn> {
  while (true) {
    try {
      return await Deno.connect({ hostname: "127.0.0.1", port });
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

Deno.test({
  name:
    "a call ends within the bound of the keep-alive when packets are lost and nobody says so",
  ignore: !installed("nft", "unshare", "ip"),
  async fn() {
    const script = new URL("_half_open.ts", import.meta.url).pathname;
    const { stdout, stderr } = await new Deno.Command("unshare", {
      args: [
        ...["-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"],
        ...[Deno.execPath(), "run", "-A", "--no-check", script],
      ],
    }).output();
    assert.equal(
      new TextDecoder().decode(stdout),
      "first message\nreset: No answer to a ping within 100 ms\n",
      new TextDecoder().decode(stderr),
    );
  },
});

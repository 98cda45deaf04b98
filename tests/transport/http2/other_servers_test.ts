/** The client against servers of other makes, where they are installed. */

import assert from "node:assert/strict";
import { serveHttp2 } from "../../../simulator/wire/http2_server.ts";
import { frame } from "../../../transport/call/frames.ts";
import type { HeaderField } from "../../../transport/http2/header_table.ts";
import { Http2Session } from "../../../transport/http2/session.ts";
import { pause } from "../../../lib/pause.ts";
import { namespaces, needs } from "../../_needs.ts";
import { never } from "./_peer.ts";

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
  ...needs("nghttpd"),
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
    const session = await Http2Session.open(await reach(port), never);
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

/** Connects as soon as a server listens. */
async function reach(port: number): Promise<Deno.TcpConn> {
  while (true) {
    try {
      return await Deno.connect({ hostname: "127.0.0.1", port });
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** Starts `_half_open.ts` in a network of its own. */
function halfOpen(pingMs: number): Deno.ChildProcess {
  const script = new URL("_half_open.ts", import.meta.url).pathname;
  return new Deno.Command("unshare", {
    args: [
      ...["-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"],
      ...[Deno.execPath(), "run", "-A", "--no-check", script, String(pingMs)],
    ],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

Deno.test({
  name:
    "a call ends within the bound of the keep-alive when packets are lost silently",
  ...needs("nft", "ip", namespaces.unprivileged),
  async fn() {
    const { stdout, stderr } = await halfOpen(100).output();
    assert.equal(
      new TextDecoder().decode(stdout),
      "lost\nlost: No answer to a ping within 100 ms\n",
      new TextDecoder().decode(stderr),
    );
  },
});

Deno.test({
  name:
    "a call ends within the bound of the keep-alive after a sleep in which the server was lost",
  ...needs("nft", "ip", namespaces.unprivileged),
  async fn() {
    const sleeper = halfOpen(200);
    const decoder = new TextDecoder();
    let seen = "";
    for await (const chunk of sleeper.stdout) {
      seen += decoder.decode(chunk);
      if (seen !== "lost\n") continue;
      sleeper.kill("SIGSTOP");
      await pause(600); // longer than both together
      sleeper.kill("SIGCONT");
    }
    assert.equal(seen, "lost\nlost: No answer to a ping within 200 ms\n");
    await sleeper.stderr.cancel();
    await sleeper.status;
  },
});

Deno.test("a call continues after a sleep in which the server answered a ping", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const script = new URL("_sleeper.ts", import.meta.url).pathname;
  const timeoutMs = 1_000;
  const words = [script, String(listener.addr.port), String(timeoutMs)];
  const sleeper = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", ...words],
    stdout: "piped",
  }).spawn();
  const [printed, shown] = sleeper.stdout
    .pipeThrough(new TextDecoderStream()).tee();
  const output = Array.fromAsync(printed);
  const connection = await listener.accept();
  const awake = Promise.withResolvers<void>();
  let hasSlept = false;
  let began = false;
  async function read(into: Uint8Array): Promise<number | null> {
    const count = await connection.read(into);
    if (began && !hasSlept && asksForAnswer(into.subarray(0, count ?? 0))) {
      // The answer finds the client asleep.
      hasSlept = true;
      sleeper.kill("SIGSTOP");
      pause(2 * timeoutMs).then(() => {
        sleeper.kill("SIGCONT");
        awake.resolve();
      });
    }
    return count;
  }
  const write = (bytes: Uint8Array) => connection.write(bytes);
  const close = () => connection.close();
  await serveHttp2({ read, write, close }, async (stream) => {
    await stream.respond([[":status", "200"]], false);
    await stream.write(frame(new Uint8Array([7])));
    await shown.getReader().read(); // the client has seen it
    began = true;
    await awake.promise;
    await stream.write(frame(new Uint8Array([8])));
    await stream.respond([["grpc-status", "0"]], true);
  });
  assert.equal((await output).join(""), "7\n8\n");
  await sleeper.status;
});

/** True if a chunk has SETTINGS among its frames: the client's ping (RFC 9113, 4.1 and 6.5). */
function asksForAnswer(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at + 9 <= bytes.length;) {
    if (view.getUint16(at + 3) === 0x04_00) return true;
    at += 9 + (view.getUint32(at) >> 8);
  }
  return false;
}

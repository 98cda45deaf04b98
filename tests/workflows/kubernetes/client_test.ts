import assert from "node:assert/strict";
import { openKubernetes } from "../../../workflows/kubernetes/client.ts";
import { withCluster } from "../../_cluster.ts";
import { adminAccess } from "../../simulator/kubernetes/_access.ts";

const { signal } = new AbortController();

Deno.test("a server that cannot be reached is named, with what lies at the bottom", async () => {
  await withCluster({}, async (cluster) => {
    const access = await adminAccess(cluster);
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const server = `https://127.0.0.1:${listener.addr.port}`;
    listener.close();
    using nowhere = openKubernetes({ ...access, server });
    await assert.rejects(nowhere.request("/version", { signal }), {
      name: "KubernetesError",
      code: 0,
      message:
        /^Cannot reach Kubernetes at https:\/\/127\.0\.0\.1:\d+: .*refused/,
    });
    const stranger = await adminAccess(cluster);
    using other = openKubernetes({ ...stranger, ca: cluster.ca });
    await assert.rejects(other.request("/version", { signal }), {
      code: 0,
      message: /certificate/,
    });
  });
});

/** Answers the first request with the begin of an answer; then is told what to do. */
async function answerHalf(
  listener: Deno.TcpListener,
  next: (connection: Deno.TcpConn) => void,
): Promise<void> {
  const connection = await listener.accept();
  await connection.read(new Uint8Array(10_000));
  const head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{";
  await connection.write(new TextEncoder().encode(head));
  next(connection);
}

Deno.test("an answer that breaks off, or does not continue, is not an answer", async () => {
  await withCluster({}, async (cluster) => {
    const access = await adminAccess(cluster);
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const server = `http://127.0.0.1:${listener.addr.port}`;
    using kubernetes = openKubernetes({ ...access, server });
    const lost = {
      name: "KubernetesError",
      code: 0,
      message: /^Cannot reach Kubernetes at http:\/\/127\.0\.0\.1:\d+: /,
    };
    const broken = answerHalf(listener, (connection) => connection.close());
    await assert.rejects(kubernetes.request("/version", { signal }), lost);
    await broken;
    const stop = new AbortController();
    let held: Deno.TcpConn | undefined;
    const stalled = answerHalf(listener, (connection) => {
      held = connection;
      stop.abort();
    });
    const asked = kubernetes.request("/version", { signal: stop.signal });
    await assert.rejects(asked, lost);
    await stalled;
    held?.close();
  });
});

Deno.test("a connection that is closed without an answer is recreated, unless the request could be done twice", async () => {
  await withCluster({}, async (cluster) => {
    const access = await adminAccess(cluster);
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const server = `http://127.0.0.1:${listener.addr.port}`;
    using kubernetes = openKubernetes({ ...access, server });
    const head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
    const methods: string[] = [];
    const answering = (async () => {
      for (const answer of ["", head, "", ""]) {
        using connection = await listener.accept();
        const bytes = new Uint8Array(10_000);
        const length = await connection.read(bytes) ?? 0;
        const text = new TextDecoder().decode(bytes.subarray(0, length));
        methods.push(text.split(" ", 1)[0] ?? "");
        await connection.write(new TextEncoder().encode(answer));
      }
    })();
    const body = {};
    const patch = { method: "PATCH", body, signal } as const;
    assert.deepEqual(await kubernetes.request("/api/a", patch), {});
    for (const method of ["POST", "PUT"] as const) {
      await assert.rejects(
        kubernetes.request("/api/a", { method, body, signal }),
        { code: 0 },
      );
    }
    await answering;
    assert.deepEqual(methods, ["PATCH", "PATCH", "POST", "PUT"]);
  });
});

Deno.test("an aborted request ends", async () => {
  await withCluster({}, async (cluster) => {
    await cluster.setFault("10.5.0.2", "blackhole");
    using kubernetes = openKubernetes(await adminAccess(cluster));
    const stop = new AbortController();
    const asked = kubernetes.request("/version", { signal: stop.signal });
    stop.abort();
    await assert.rejects(asked, { code: 0 });
  });
});

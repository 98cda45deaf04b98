import assert from "node:assert/strict";
import {
  openKubernetes,
  parseAnswer,
} from "../../../workflows/kubernetes/client.ts";
import { withCluster } from "../../_cluster.ts";
import { adminAccess } from "../../simulator/kubernetes/_access.ts";

const { signal } = new AbortController();

Deno.test("a connection that is closed without an answer is recreated, unless the request could be done twice", async () => {
  await withCluster({}, async (cluster) => {
    const access = await adminAccess(cluster);
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const server = `http://127.0.0.1:${listener.addr.port}`;
    using kubernetes = openKubernetes({ ...access, server });
    const head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
    const methods: string[] = [];
    const agents = new Set<string>();
    const answering = (async () => {
      for (const answer of ["", head, "", ""]) {
        using connection = await listener.accept();
        const bytes = new Uint8Array(10_000);
        const length = await connection.read(bytes) ?? 0;
        const text = new TextDecoder().decode(bytes.subarray(0, length));
        methods.push(text.split(" ", 1)[0] ?? "");
        agents.add(/^user-agent: (.*)\r$/im.exec(text)?.[1] ?? "");
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
    assert.deepEqual([...agents], ["osctl"]);
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

Deno.test("an error has the causes that its message leaves out, and no cause twice", () => {
  const immutable = 'Invalid value: "a": field is immutable';
  const message = `DaemonSet.apps "a" is invalid: spec.selector: ${immutable}`;
  const causes = [{ message: immutable }, { message: "and another" }];
  assert.throws(() => parseAnswer(422, { message, details: { causes } }), {
    code: 422,
    message: `${message} and another`,
  });
});

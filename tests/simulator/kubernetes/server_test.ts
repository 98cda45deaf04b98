import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:tls";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { createCa } from "../../../pki/ca.ts";
import { generateKey } from "../../../pki/key.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import {
  type Kubernetes,
  openKubernetes,
} from "../../../workflows/kubernetes/client.ts";
import { withCluster } from "../../_cluster.ts";
import { linux, needs } from "../../_needs.ts";
import { adminAccess } from "./_access.ts";

const { signal } = new AbortController();

const ask = (kubernetes: Kubernetes, path = "/api/v1/nodes") =>
  kubernetes.request(path, { signal });

Deno.test("an API server answers who has a certificate of the cluster's CA", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using kubernetes = openKubernetes(await adminAccess(cluster));
    const { items } = await ask(kubernetes);
    assert.deepEqual(
      (items as { metadata: { name: string } }[]).map(({ metadata }) =>
        metadata.name
      ),
      ["simulated-controlplane-1", "simulated-worker-1"],
    );
  });
});

Deno.test("anybody else is not authorized", async () => {
  await withCluster({}, async (cluster) => {
    const stranger = await createCa({
      organizations: ["kubernetes"],
      key: await generateKey("ECDSA"),
    });
    const access = await adminAccess(cluster, 0, stranger);
    using kubernetes = openKubernetes(access);
    await assert.rejects(ask(kubernetes), {
      name: "KubernetesError",
      code: 401,
      message: "Unauthorized",
    });
  });
});

Deno.test("while its node is down nothing answers, and afterwards it does again", async () => {
  await withCluster({ controlplanes: 3 }, async (cluster) => {
    using first = openKubernetes(await adminAccess(cluster));
    using second = openKubernetes(await adminAccess(cluster, 1));
    await ask(first);
    const [node] = cluster.nodes;
    await setFault(node!, "unavailable");
    await assert.rejects(ask(first), { code: 0 });
    assert.equal((await ask(second)).kind, "NodeList");
    await setFault(node!, "unavailable", false);
    assert.equal((await ask(first)).kind, "NodeList");
  });
});

Deno.test("a client that goes amid its request takes nothing with it", async () => {
  await withCluster({}, async (cluster) => {
    const access = await adminAccess(cluster);
    const { hostname, port } = new URL(access.server);
    const socket = connect({
      ...{ host: hostname, port: Number(port), ca: access.ca },
      ...{ cert: access.crt, key: access.key },
    });
    await once(socket, "secureConnect");
    socket.write(
      "POST /api/v1/namespaces/default/pods HTTP/1.1\r\nHost: kubernetes\r\nContent-Length: 9\r\n\r\n{",
    );
    using kubernetes = openKubernetes(access);
    await ask(kubernetes);
    socket.destroy();
    await once(socket, "close");
    assert.equal((await ask(kubernetes)).kind, "NodeList");
  });
});

async function refusal(body: string) {
  let answer = { status: 0, code: 0, reason: "", message: "" };
  await withCluster({}, async (cluster) => {
    const { server, ca, crt, key } = await adminAccess(cluster);
    using client = Deno.createHttpClient({ caCerts: [ca], cert: crt, key });
    const path = `${server}/api/v1/namespaces/default/pods`;
    const init = { client, method: "POST", body };
    const response = await fetch(path, init);
    answer = { ...await response.json(), status: response.status };
  });
  return answer;
}

Deno.test("text that is no JSON is refused", async () => {
  const { status, reason } = await refusal("{");
  assert.equal(status, 400);
  assert.equal(reason, "BadRequest");
});

/** An object as clients send it in Protobuf: `raw` is its message. */
function wrapObject(kind: string, raw: BinaryWriter): BodyInit {
  const type = new BinaryWriter().tag(1, 2).string("v1").tag(2, 2).string(kind);
  const bytes = new BinaryWriter().tag(1, 2).bytes(type.finish())
    .tag(2, 2).bytes(raw.finish()).finish();
  return new Blob(["k8s\0", bytes as BlobPart]);
}

const protobuf = { "content-type": "application/vnd.kubernetes.protobuf" };

Deno.test("objects in Protobuf are read, and those that cannot be are refused", async () => {
  await withCluster({}, async (cluster) => {
    const { server, ca, crt, key } = await adminAccess(cluster);
    using client = Deno.createHttpClient({ caCerts: [ca], cert: crt, key });
    const entry = new BinaryWriter().tag(1, 2).string("_a__Node");
    const name = new BinaryWriter().tag(1, 2).string("list")
      .tag(6, 2).string("");
    const map = new BinaryWriter().tag(1, 2).bytes(name.finish())
      .tag(2, 2).bytes(entry.finish());
    const path = `${server}/api/v1/namespaces/default/configmaps`;
    const send = async (body: BodyInit, method = "POST", name = "") => {
      const init = { client, method, headers: protobuf, body };
      return await (await fetch(`${path}${name}`, init)).json();
    };
    const list = wrapObject("ConfigMap", map);
    // An update without a version replaces any.
    for (const [method, name] of [["POST"], ["PUT", "/list"]] as const) {
      const { kind, metadata, data } = await send(list, method, name);
      assert.deepEqual([kind, metadata?.name], ["ConfigMap", "list"]);
      assert.deepEqual(data, { _a__Node: "" });
    }
    const { code, message } = await send(wrapObject("Lease", map));
    assert.equal(code, 415);
    assert.match(message, /application\/json, application\/vnd\.kubernetes/);
    assert.equal((await send("k8s\0\n\x7f")).code, 400);
    assert.equal((await send("{}")).code, 400);
  });
});

Deno.test("control planes that share an address have a port each, workers none", async () => {
  await withCluster({ controlplanes: 2, workers: 1 }, ({ nodes }) => {
    const urls = nodes.map(({ cluster, origin }) =>
      cluster.kubernetesUrl?.(origin.address)
    );
    assert.match(urls[0] ?? "", /^https:\/\/127\.0\.0\.1:\d+$/);
    assert.match(urls[1] ?? "", /^https:\/\/127\.0\.0\.1:\d+$/);
    assert.notEqual(urls[0], urls[1]);
    assert.equal(urls[2], undefined);
    return Promise.resolve();
  });
});

Deno.test(
  "control planes with addresses of their own name the first one, on the usual port",
  { ...needs(linux) },
  async () => {
    // Of a part of 127.0.0.0/8 that nothing else here takes.
    const number = Deno.pid % 250;
    const hosts = [2, 3].map((last) => `127.199.${number}.${last}`);
    const addresses = (index: number) => ({
      host: hosts[index]!,
      port: 50_000,
    });
    await withCluster({ controlplanes: 2, addresses }, async (cluster) => {
      const { nodes } = cluster;
      const url = `https://${hosts[0]}:6443`;
      assert.deepEqual(
        nodes.map(({ cluster, origin }) =>
          cluster.kubernetesUrl?.(origin.address)
        ),
        [url, url],
      );
      const access = await adminAccess(cluster);
      const second = { ...access, server: `https://${hosts[1]}:6443` };
      for (const one of [access, second]) {
        using kubernetes = openKubernetes(one);
        const { signal } = new AbortController();
        const { gitVersion } = await kubernetes.request("/version", { signal });
        assert.equal(gitVersion, "v1.34.1");
      }
    });
  },
);

Deno.test("tables, logs and watches are answered as kubectl asks for them", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    const access = await adminAccess(cluster);
    const client = Deno.createHttpClient({
      caCerts: [access.ca],
      cert: access.crt,
      key: access.key,
    });
    const get = (path: string, accept = "application/json") =>
      fetch(`${access.server}${path}`, { client, headers: { accept } });
    try {
      const table = await (await get(
        "/api/v1/nodes",
        "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
      )).json();
      assert.deepEqual(
        table.columnDefinitions.map(({ name }: { name: string }) => name),
        ["Name", "Status", "Roles", "Version", "Age"],
      );
      assert.deepEqual(table.rows[1].cells.slice(0, 3), [
        "simulated-worker-1",
        "Ready",
        "<none>",
      ]);
      const name = "kube-scheduler-simulated-controlplane-1";
      const log = await get(`/api/v1/namespaces/kube-system/pods/${name}/log`);
      assert.equal(
        await log.text(),
        "starting kube-scheduler\nkube-scheduler is ready\n",
      );
      const end = await get(
        `/api/v1/namespaces/kube-system/pods/${name}/log?tailLines=1`,
      );
      assert.equal(await end.text(), "kube-scheduler is ready\n");
      const watch = await get(
        "/api/v1/nodes?watch=true&sendInitialEvents=true&timeoutSeconds=30",
      );
      const lines = watch.body!.pipeThrough(new TextDecoderStream())
        .getReader();
      let text = "";
      const until = async (wanted: RegExp) => {
        while (!wanted.test(text)) text += (await lines.read()).value ?? "";
      };
      await until(/"type":"BOOKMARK".*\n/);
      assert.equal(text.match(/"type":"ADDED"/g)?.length, 2);
      using kubernetes = openKubernetes(access);
      await kubernetes.request("/api/v1/nodes/simulated-worker-1", {
        signal,
        method: "PATCH",
        body: { spec: { unschedulable: true } },
      });
      await until(/"type":"MODIFIED".*"unschedulable":true.*\n/);
      await lines.cancel();
    } finally {
      client.close();
    }
  });
});

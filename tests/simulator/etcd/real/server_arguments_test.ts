import assert from "node:assert/strict";
import {
  defaultPorts,
  freePorts,
  peerUrlOf,
  serverArguments,
} from "../../../../simulator/etcd/real/server_arguments.ts";

const place = { host: "127.0.0.5", peerPort: 20001, clientPort: 20002 };

/** What a server with data is given. */
const usual = [
  "--name=cp-1",
  "--data-dir=/srv/etcd/data",
  "--listen-peer-urls=https://127.0.0.5:20001",
  "--initial-advertise-peer-urls=https://127.0.0.5:20001",
  "--listen-client-urls=https://127.0.0.5:20002",
  "--advertise-client-urls=https://127.0.0.5:20002",
  "--client-cert-auth=true",
  "--trusted-ca-file=/srv/etcd/pki/ca.crt",
  "--cert-file=/srv/etcd/pki/server.crt",
  "--key-file=/srv/etcd/pki/server.key",
  "--peer-client-cert-auth=true",
  "--peer-trusted-ca-file=/srv/etcd/pki/ca.crt",
  "--peer-cert-file=/srv/etcd/pki/peer.crt",
  "--peer-key-file=/srv/etcd/pki/peer.key",
  "--logger=zap",
  "--log-outputs=stderr",
];

const spec = { folder: "/srv/etcd", place, name: "cp-1" };

Deno.test("a server with data is told where it is and whom to trust, and no cluster", () => {
  assert.deepEqual(serverArguments({ ...spec, initial: undefined }), usual);
});

Deno.test("a server without data is told its cluster, and whether it already exists", () => {
  const members = [
    { name: "cp-1", peerUrl: "https://127.0.0.5:20001" },
    { name: "cp-2", peerUrl: "https://127.0.0.6:20003" },
  ];
  const initial = (isNew: boolean) =>
    serverArguments({ ...spec, initial: { isNew, members } });
  const cluster =
    "--initial-cluster=cp-1=https://127.0.0.5:20001,cp-2=https://127.0.0.6:20003";
  assert.deepEqual(initial(true), [
    ...usual,
    cluster,
    "--initial-cluster-state=new",
  ]);
  assert.deepEqual(initial(false), [
    ...usual,
    cluster,
    "--initial-cluster-state=existing",
  ]);
});

Deno.test("addresses of version 6 stand in brackets", () => {
  const host = "::1";
  assert.equal(peerUrlOf({ ...place, host }), "https://[::1]:20001");
});

Deno.test("nodes have etcd on the ports everybody knows", () => {
  assert.deepEqual(defaultPorts, { peerPort: 2380, clientPort: 2379 });
});

Deno.test("free ports can be listened on, both at once, below those of connections", () => {
  const { host, peerPort, clientPort } = freePorts("127.0.0.1");
  assert.equal(host, "127.0.0.1");
  for (const port of [peerPort, clientPort]) {
    assert.ok(port >= 20_000 && port < 32_000, `${port}`);
  }
  using _peer = Deno.listen({ hostname: host, port: peerPort });
  using _client = Deno.listen({ hostname: host, port: clientPort });
});

Deno.test("an address of another machine has no free ports", () => {
  assert.throws(() => freePorts("192.0.2.1"), Deno.errors.AddrNotAvailable);
});

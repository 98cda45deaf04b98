import assert from "node:assert/strict";
import type { CertificateAuthority } from "../../../pki/certificate.ts";
import { inspectCertificate } from "../../../pki/inspect.ts";
import { makeEtcd } from "../../../simulator/cluster/make_cluster.ts";
import { noStore, type Store } from "../../../simulator/cluster/saved_state.ts";
import { defaultVersions } from "../../../simulator/release/release.ts";
import { madeNodes } from "../_node.ts";

Deno.test("nodes are named after the cluster, their kind and their number", async () => {
  const nodes = await madeNodes({ name: "demo", controlplanes: 2, workers: 1 });
  assert.deepEqual(
    nodes.map((
      { identity: { hostname, address, machineType } },
    ) => [hostname, address, machineType]),
    [
      ["demo-controlplane-1", "10.5.0.2", "controlplane"],
      ["demo-controlplane-2", "10.5.0.3", "controlplane"],
      ["demo-worker-1", "10.5.0.4", "worker"],
    ],
  );
  assert.equal(new Set(nodes.map(({ identity }) => identity.uuid)).size, 3);
});

Deno.test("nodes of a cluster share its CA, which lasts ten years", async () => {
  const [first, second] = await madeNodes({
    workers: 1,
    release: { tag: "v1.13.0" },
  });
  assert.equal(first!.cluster, second!.cluster);
  const { osCa, release, id } = first!.cluster;
  const { isCa, notAfter, subject } = inspectCertificate(osCa.certificate);
  assert.deepEqual([isCa, subject.organizations, notAfter.getUTCFullYear()], [
    true,
    ["talos"],
    2036,
  ]);
  assert.equal(release.tag, "v1.13.0");
  assert.equal(id.length, 44);
});

const spec = {
  etcd: "model",
  release: { ...defaultVersions, etcd: "v3.5.9" },
  hosts: new Map<string, string>(),
} as const;

/** A store and what is in it. */
function storeWith(texts: ReadonlyMap<string, string> = new Map()) {
  const kept = new Map(texts);
  const store: Store = {
    read: (name) => Promise.resolve(kept.get(name)),
    write: (name, text) => Promise.resolve(void kept.set(name, text)),
  };
  return { store, kept };
}

Deno.test("a model is new once", async () => {
  const { store, kept } = storeWith();
  assert.equal((await makeEtcd({ ...spec, store })).isNew, true);
  assert.deepEqual(
    kept,
    new Map([["etcd.json", '{"clusters":[],"servers":[]}']]),
  );
  assert.equal((await makeEtcd({ ...spec, store })).isNew, false);
});

Deno.test("a model is of the release's version, and kept with every start", async () => {
  const { store, kept } = storeWith();
  const start = async (isFirst: boolean) => {
    const { backend } = await makeEtcd({ ...spec, store });
    const server = backend.serverOf({
      hostname: "cp-1",
      address: "10.5.0.2",
      machineType: "controlplane",
      uuid: "uuid",
    });
    const peerUrl = await server.peerUrl();
    const initial = { isNew: true, members: [{ name: "cp-1", peerUrl }] };
    await server.start({
      name: "cp-1",
      issuer: {} as CertificateAuthority, // models have no certificates
      initial: isFirst ? initial : undefined,
      log() {},
    });
    return await server.client.status();
  };
  const first = await start(true);
  assert.equal(first.protocolVersion, "3.5.9");
  assert.match(kept.get("etcd.json") ?? "", /"name":"cp-1"/);
  assert.equal((await start(false)).memberId, first.memberId);
});

Deno.test("a store that forgets makes every model new", async () => {
  await makeEtcd({ ...spec, store: noStore });
  assert.equal((await makeEtcd({ ...spec, store: noStore })).isNew, true);
});

Deno.test("a store that holds something else is refused", async () => {
  const { store } = storeWith(new Map([["etcd.json", "[]"]]));
  await assert.rejects(makeEtcd({ ...spec, store }), {
    name: "ConfigError",
    message: "Cannot read the saved etcd state",
  });
});

Deno.test("a program that is absent is refused, and nothing is kept", async () => {
  const { store, kept } = storeWith();
  const etcd = { program: "/nowhere/etcd" };
  await assert.rejects(makeEtcd({ ...spec, etcd, store }), {
    name: "ConfigError",
    message:
      'Cannot run "/nowhere/etcd": it is not installed, or it is not etcd',
  });
  assert.equal(kept.size, 0);
});

Deno.test("a program that is installed is new once, and not silent", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const program = `${folder}/etcd`;
    const script = "#!/bin/sh\necho etcd Version: 3.4.23\n";
    await Deno.writeTextFile(program, script, { mode: 0o700 });
    const { store, kept } = storeWith();
    const etcd = { program, folder };
    const { backend, isNew } = await makeEtcd({ ...spec, etcd, store });
    assert.deepEqual([backend.isSilent, isNew], [false, true]);
    assert.deepEqual(kept, new Map([["etcd.json", "{}"]]));
    assert.equal((await makeEtcd({ ...spec, etcd, store })).isNew, false);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

import assert from "node:assert/strict";
import { lazyServices } from "../../../transport/gen/services.ts";
import {
  mask,
  reads,
  recordNode,
  unrecorded,
  withoutDefaults,
} from "../../../tools/conformance/record.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../../simulator/_client.ts";

Deno.test("secrets are masked, bytes are counted", () => {
  assert.deepEqual(
    mask({
      name: "a",
      bootstrapToken: "x",
      key: "y",
      crt: "-----BEGIN ED25519 PRIVATE KEY-----",
      data: new Uint8Array(3),
      size: 4n,
      args: "kubelet --token=z",
      list: ["b", { password: "" }],
    }),
    {
      name: "a",
      bootstrapToken: "***",
      key: "***",
      crt: "***",
      data: "<3 bytes>",
      size: 4,
      args: "***",
      list: ["b", { password: "" }],
    },
  );
  assert.deepEqual(mask({ crt: "a", port: 1, salt: [7, 255] }, true), {
    crt: "***",
    port: 1,
    salt: [0, 0],
  });
  assert.deepEqual(mask({ ports: [7, 255] }), { ports: [7, 255] });
});

Deno.test("fields that have their default are not recorded, as they are not sent", () => {
  const message = { a: "", b: 0, c: 0n, d: false, e: [], f: { g: "", h: 1 } };
  assert.deepEqual(withoutDefaults(message), { f: { h: 1 } });
});

Deno.test("every call is recorded, or it is said why not", () => {
  const recorded = new Set(
    Object.keys(reads).map((name) => name.replace(/ .*/, "")),
  );
  const known = new Set<string>();
  for (const { fullName, methods } of Object.values(lazyServices)) {
    const service = fullName.split(".").at(-1)!;
    for (const { name } of Object.values(methods)) {
      const call = `${service}/${name}`;
      const isLeftOut = call in unrecorded || service in unrecorded;
      assert.notEqual(recorded.has(call), isLeftOut, call);
      known.add(call).add(service);
    }
  }
  for (const name of [...recorded, ...Object.keys(unrecorded)]) {
    assert.ok(known.has(name), name);
  }
});

Deno.test("a node is recorded without being changed, and without its secrets", async () => {
  await withCluster({}, async ({ endpoints, adminIdentity, nodes }) => {
    using client = testClient({
      endpoint: endpoints[0]!,
      identity: adminIdentity,
    });
    const [node] = nodes;
    const before = node!.boot.resources.changes.end();
    const { calls, resources } = await recordNode(client);
    assert.equal(node!.boot.resources.changes.end(), before);
    const [{ version }] = calls["MachineService/Version"] as [
      { version: { tag: string } },
    ];
    assert.match(version.tag, /^v1\.\d+\.\d+$/);
    const text = JSON.stringify({ calls, resources });
    const { certs, secrets, trustdInfo } = node!.cluster.secrets;
    for (
      const secret of [
        certs.os.key,
        certs.k8s.key,
        secrets.bootstrapToken,
        trustdInfo.token,
        adminIdentity.key,
      ]
    ) assert.ok(!text.includes(secret));
    assert.ok(!text.includes("PRIVATE KEY"));
    assert.deepEqual(
      resources["MachineConfigs.config.talos.dev"],
      ["persistent", "v1alpha1"].map((id) => ({
        id,
        owner: "config.AcquireController",
        spec: "***",
      })),
    );
  });
});

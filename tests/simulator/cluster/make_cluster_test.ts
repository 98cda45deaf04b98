import assert from "node:assert/strict";
import { inspectCertificate } from "../../../pki/inspect.ts";
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

Deno.test("nodes of a cluster share its authority, which lasts ten years", async () => {
  const [first, second] = await madeNodes({
    workers: 1,
    release: { tag: "v1.13.0" },
  });
  assert.equal(first!.cluster, second!.cluster);
  const { authority, release, id } = first!.cluster;
  const { isCa, notAfter, subject } = inspectCertificate(authority.certificate);
  assert.deepEqual([isCa, subject.organizations, notAfter.getUTCFullYear()], [
    true,
    ["talos"],
    2036,
  ]);
  assert.equal(release.tag, "v1.13.0");
  assert.equal(id.length, 44);
});

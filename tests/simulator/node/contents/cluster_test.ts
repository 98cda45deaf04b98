import assert from "node:assert/strict";
import { publishMember } from "../../../../simulator/node/contents/cluster.ts";
import { bootedNodes } from "../../_node.ts";

const type = "Members.cluster.talos.dev";

Deno.test("every node of a cluster is a member once it has booted", async () => {
  const [node] = await bootedNodes({ workers: 1 });
  const members = node!.cluster.shared.list({ namespace: "cluster", type });
  const { nodeId, ...member } = members[0]!.spec as Record<string, unknown>;
  assert.deepEqual(member, {
    addresses: ["10.5.0.2"],
    hostname: "lab-controlplane-1",
    machineType: "controlplane",
    operatingSystem: "Talos (v1.12.11)",
    controlPlane: { port: 6443 },
  });
  assert.equal(String(nodeId).length, 43);
  assert.equal(members[1]!.id, "lab-worker-1");
});

Deno.test("announcing what is known changes nothing", async () => {
  const [node] = await bootedNodes();
  publishMember(node!);
  const key = { namespace: "cluster", type, id: "lab-controlplane-1" };
  assert.equal(node!.cluster.shared.get(key)?.version, 1);
});

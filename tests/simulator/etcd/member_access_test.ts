import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import type { EtcdClient } from "../../../simulator/state/etcd.ts";
import { notRunningError } from "../../../simulator/etcd/etcd_error.ts";
import { askMember, etcdCa } from "../../../simulator/etcd/member_access.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { bootNodes, makeNodes } from "../_node.ts";

/** Asks for a name, and takes note of everybody who was asked. */
function asker(
  nodes: readonly SimulatedNode[],
  answer: (name: string) => void,
) {
  const asked: string[] = [];
  const ask = (client: EtcdClient) =>
    Promise.try(() => {
      const node = nodes.find(({ etcd }) => etcd.server.client === client);
      const name = node!.identity.hostname.replace("lab-controlplane-", "");
      asked.push(name);
      answer(name);
      return name;
    });
  return { asked, ask };
}

Deno.test("the next member is asked when one does not serve", async () => {
  const nodes = await bootNodes({ controlplanes: 3 });
  const { asked, ask } = asker(nodes, (name) => {
    if (name === "1") throw notRunningError("10.5.0.2:2379");
  });
  assert.equal(await askMember(nodes[2]!, ask), "2");
  assert.deepEqual(asked, ["1", "2"]);
});

Deno.test("members of another CA are not asked", async () => {
  const nodes = await bootNodes({ controlplanes: 2 });
  const [stranger] = await bootNodes();
  const { crt, key } = stranger!.cluster.secrets.certs.etcd;
  const main = { version: "v1alpha1", cluster: { etcd: { ca: { crt, key } } } };
  nodes[0]!.disk.configuration = JSON.stringify(main);
  const { asked, ask } = asker(nodes, () => {});
  assert.equal(await askMember(nodes[1]!, ask), "2");
  assert.deepEqual(asked, ["2"]);
});

Deno.test("a configuration without a CA is an error", async () => {
  const [node] = await makeNodes();
  node!.disk.configuration = "version: v1alpha1\ncluster: {}\n";
  await assert.rejects(async () => await etcdCa(node!), ConfigError);
});

import assert from "node:assert/strict";
import { defaultContract } from "../../../config/generate/contract.ts";
import { generateSecrets } from "../../../config/generate/secrets.ts";
import { ConfigError } from "../../../errors.ts";
import { encodePem, pemLabel } from "../../../pki/pem.ts";
import type { EtcdClient } from "../../../simulator/state/etcd.ts";
import {
  EtcdError,
  notRunningError,
} from "../../../simulator/etcd/etcd_error.ts";
import { stopEtcd } from "../../../simulator/etcd/etcd_service.ts";
import { askMember, etcdCa } from "../../../simulator/etcd/member_access.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { bootedNodes, madeNodes, noon } from "../_node.ts";

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
  const nodes = await bootedNodes({ controlplanes: 3 });
  const { asked, ask } = asker(nodes, (name) => {
    if (name === "1") throw notRunningError("10.5.0.2:2379");
  });
  assert.equal(await askMember(nodes[2]!, ask), "2");
  assert.deepEqual(asked, ["1", "2"]);
});

Deno.test("no other member is asked after etcd has refused", async () => {
  const nodes = await bootedNodes({ controlplanes: 2 });
  const refused = new EtcdError("etcdserver: no leader");
  const { asked, ask } = asker(nodes, () => {
    throw refused;
  });
  await assert.rejects(askMember(nodes[0]!, ask), refused);
  assert.deepEqual(asked, ["1"]);
});

Deno.test("healthy members are asked first, those that do not run never", async () => {
  const nodes = await bootedNodes({ controlplanes: 3 });
  const service = nodes[0]!.boot.services.get("etcd")!;
  service.health = { ...service.health, healthy: false };
  await stopEtcd(nodes[1]!);
  const { asked, ask } = asker(nodes, (name) => {
    if (name === "3") throw notRunningError("10.5.0.4:2379");
  });
  assert.equal(await askMember(nodes[1]!, ask), "1");
  assert.deepEqual(asked, ["3", "1"]);
});

Deno.test("members of another CA are not asked", async () => {
  const nodes = await bootedNodes({ controlplanes: 2 });
  const [stranger] = await bootedNodes();
  const { crt, key } = stranger!.cluster.secrets.certs.etcd;
  const main = { version: "v1alpha1", cluster: { etcd: { ca: { crt, key } } } };
  nodes[0]!.disk.configuration = JSON.stringify(main);
  const { asked, ask } = asker(nodes, () => {});
  assert.equal(await askMember(nodes[1]!, ask), "2");
  assert.deepEqual(asked, ["2"]);
});

Deno.test("where no member runs, the node's own address refuses", async () => {
  const nodes = await bootedNodes({ workers: 1 });
  await stopEtcd(nodes[0]!);
  const { asked, ask } = asker(nodes, () => {});
  await assert.rejects(
    askMember(nodes[1]!, ask),
    notRunningError("10.5.0.3:2379"),
  );
  assert.deepEqual(asked, []);
});

/** A configuration with the CA of another cluster. */
async function foreign(): Promise<{ readonly crt: string; text: string }> {
  const { k8sServiceAccount } = (await madeNodes())[0]!.cluster.secrets.certs;
  const { certs: { etcd: { crt, key } } } = await generateSecrets({
    contract: defaultContract,
    now: new Date(noon),
    given: { certs: { k8sServiceAccount } },
  });
  const main = { version: "v1alpha1", cluster: { etcd: { ca: { crt, key } } } };
  return { crt, text: JSON.stringify(main) };
}

function fileOf({ certificate }: { readonly certificate: Uint8Array }): string {
  return btoa(encodePem(pemLabel.certificate, certificate));
}

Deno.test("without a configuration of its own a node has the CA of its cluster", async () => {
  const [one, two] = await madeNodes({ controlplanes: 2 });
  const issuer = await etcdCa(one!);
  assert.equal(fileOf(issuer), one!.cluster.secrets.certs.etcd.crt);
  // It is read once.
  assert.equal(await etcdCa(two!), issuer);
});

Deno.test("a configuration has its own, and the one that is live counts", async () => {
  const [one, two] = await madeNodes({ controlplanes: 2 });
  const disk = await foreign();
  const live = await foreign();
  one!.disk.configuration = disk.text;
  assert.equal(fileOf(await etcdCa(one!)), disk.crt);
  one!.boot.liveConfiguration = live.text;
  assert.equal(fileOf(await etcdCa(one!)), live.crt);
  assert.notEqual(disk.crt, live.crt);
  const other = await etcdCa(two!);
  assert.equal(fileOf(other), two!.cluster.secrets.certs.etcd.crt);
});

Deno.test("a configuration without a CA is an error", async () => {
  const [node] = await madeNodes();
  node!.disk.configuration = "version: v1alpha1\ncluster: {}\n";
  await assert.rejects(async () => await etcdCa(node!), ConfigError);
});

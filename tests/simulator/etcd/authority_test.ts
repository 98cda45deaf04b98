import assert from "node:assert/strict";
import { newestContract } from "../../../config/generate/contract.ts";
import { generateSecrets } from "../../../config/generate/secrets.ts";
import { ConfigError } from "../../../errors.ts";
import { encodePem, pemLabel } from "../../../pki/pem.ts";
import { authorityOfEtcd } from "../../../simulator/etcd/authority.ts";
import { madeNodes, noon } from "../_node.ts";

/** A configuration with the authority of another cluster. */
async function foreign(): Promise<{ readonly crt: string; text: string }> {
  const { k8sServiceAccount } = (await madeNodes())[0]!.cluster.secrets.certs;
  const { certs: { etcd: { crt, key } } } = await generateSecrets({
    contract: newestContract,
    now: new Date(noon),
    given: { certs: { k8sServiceAccount } },
  });
  const main = { version: "v1alpha1", cluster: { etcd: { ca: { crt, key } } } };
  return { crt, text: JSON.stringify(main) };
}

function fileOf({ certificate }: { readonly certificate: Uint8Array }): string {
  return btoa(encodePem(pemLabel.certificate, certificate));
}

Deno.test("without a configuration of its own a node has the authority of its cluster", async () => {
  const [one, two] = await madeNodes({ controlplanes: 2 });
  const authority = await authorityOfEtcd(one!);
  assert.equal(fileOf(authority), one!.cluster.secrets.certs.etcd.crt);
  // It is read once.
  assert.equal(await authorityOfEtcd(two!), authority);
});

Deno.test("a configuration has its own, and the one that is live counts", async () => {
  const [one, two] = await madeNodes({ controlplanes: 2 });
  const disk = await foreign();
  const live = await foreign();
  one!.disk.configuration = disk.text;
  assert.equal(fileOf(await authorityOfEtcd(one!)), disk.crt);
  one!.boot.liveConfiguration = live.text;
  assert.equal(fileOf(await authorityOfEtcd(one!)), live.crt);
  assert.notEqual(disk.crt, live.crt);
  const other = await authorityOfEtcd(two!);
  assert.equal(fileOf(other), two!.cluster.secrets.certs.etcd.crt);
});

Deno.test("a configuration without an authority is an error", async () => {
  const [node] = await madeNodes();
  node!.disk.configuration = "version: v1alpha1\ncluster: {}\n";
  await assert.rejects(async () => await authorityOfEtcd(node!), ConfigError);
});

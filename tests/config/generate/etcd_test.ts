import assert from "node:assert/strict";
import { defaultContract } from "../../../config/generate/contract.ts";
import { generateSecrets } from "../../../config/generate/secrets.ts";
import { needs } from "../../_needs.ts";
import { quickKey } from "./_bundle.ts";
import { etcdCertificate, startEtcd, until } from "./_etcd.ts";

function secretsOfToday() {
  return generateSecrets({
    contract: defaultContract,
    now: new Date(),
    makeKey: quickKey,
  });
}

Deno.test({
  name:
    "three members of etcd form a cluster with TLS from the generated CA, and serve its clients only",
  ...needs("etcd", "etcdctl"),
  async fn() {
    const secrets = await secretsOfToday();
    const stranger = await secretsOfToday();
    await using etcd = await startEtcd(secrets, 3);
    const { folder, endpoints } = etcd;
    await etcdCertificate(folder, "client", secrets.certs.etcd);
    await etcdCertificate(folder, "stranger", stranger.certs.etcd);
    const [first = "", , last = ""] = endpoints;
    const as = (name: string, ...at: readonly string[]) => [
      `--endpoints=${at.join(",")}`,
      `--cacert=${folder}/ca.crt`,
      `--cert=${folder}/${name}.crt`,
      `--key=${folder}/${name}.key`,
    ];

    const health = await until(() =>
      etcd.ctl(...as("client", ...endpoints), "endpoint", "health")
    );
    for (const endpoint of endpoints) {
      assert.ok(
        health.text.includes(`${endpoint} is healthy: `),
        `${endpoint}\n${health.text}`,
      );
    }

    // A value written to one member is read from the other: they trust each other.
    assert.deepEqual(await etcd.ctl(...as("client", first), "put", "a", "b"), {
      ok: true,
      text: "OK\n",
    });
    assert.deepEqual(await etcd.ctl(...as("client", last), "get", "a"), {
      ok: true,
      text: "a\nb\n",
    });

    // The client keeps trying for as long as it may.
    const once = ["endpoint", "health", "--command-timeout=1s"];
    const [endpoint = "", ca = ""] = as("", first);
    const refused = await Promise.all([
      etcd.ctl(...as("stranger", first), ...once),
      etcd.ctl(endpoint, ca, ...once),
    ]);
    assert.deepEqual(refused.map(({ ok }) => ok), [false, false]);
    const known = await etcd.ctl(...as("client", first), ...once);
    assert.ok(known.ok, known.text);
  },
});

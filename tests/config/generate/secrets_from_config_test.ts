import assert from "node:assert/strict";
import { renderSecrets } from "../../../config/generate/secrets_file.ts";
import { secretsFromConfig } from "../../../config/generate/secrets_from_config.ts";
import { peerControlPlane, peerSecrets, peerWorker } from "./_peer_made.ts";

Deno.test("the configuration of a control plane gives back its secrets byte for byte", async () => {
  const bundle = await secretsFromConfig(peerControlPlane, "cp.yaml");
  assert.equal(renderSecrets(bundle), peerSecrets);
});

Deno.test("the main document may come after others, and have keys nobody knows", async () => {
  const [main = "", hostname] = peerControlPlane.split("---\n");
  const text = `${hostname}---\nfuture: 1\n${main}`;
  const bundle = await secretsFromConfig(text, "cp.yaml");
  assert.equal(renderSecrets(bundle), peerSecrets);
});

Deno.test("a former encryption secret is taken over", async () => {
  const text = peerControlPlane.replace(
    /secretboxEncryptionSecret: .*/,
    "aescbcEncryptionSecret: b2xk",
  );
  const { secrets } = await secretsFromConfig(text, "cp.yaml");
  assert.equal(secrets.aescbcEncryptionSecret, "b2xk");
  assert.equal("secretboxEncryptionSecret" in secrets, false);
});

Deno.test("the configuration of a worker is refused with all it lacks", async () => {
  await assert.rejects(secretsFromConfig(peerWorker, "w.yaml"), {
    name: "ConfigError",
    message: `Cannot use configuration "w.yaml" of a worker:
  w.yaml:29:1: cluster.secretboxEncryptionSecret: "secretboxEncryptionSecret" is missing
  w.yaml:29:1: cluster.etcd.ca.crt: "crt" is missing
  w.yaml:29:1: cluster.etcd.ca.key: "key" is missing
  w.yaml:44:9: cluster.ca.key: "key" is missing
  w.yaml:29:1: cluster.aggregatorCA.crt: "crt" is missing
  w.yaml:29:1: cluster.aggregatorCA.key: "key" is missing
  w.yaml:29:1: cluster.serviceAccount.key: "key" is missing
  w.yaml:9:9: machine.ca.key: "key" is missing`,
    hint: "Give the machine configuration of a control plane",
  });
});

Deno.test("a configuration with secrets left out is refused", async () => {
  const text = peerControlPlane.replace(/key: .*/, 'key: "******"');
  await assert.rejects(secretsFromConfig(text, "cp.yaml"), {
    message: 'Cannot use configuration "cp.yaml": cp.yaml:9:9: ' +
      'machine.ca.key: "key" was left out of the document ' +
      "(Give the document as it was before it was printed)",
  });
});

Deno.test("a file without a main document is refused", async () => {
  const text = "apiVersion: v1alpha1\nkind: HostnameConfig\n";
  await assert.rejects(secretsFromConfig(text, "h.yaml"), {
    name: "ConfigError",
    message: 'Cannot read "h.yaml": it has no main document',
    hint: "Give the machine configuration of a control plane",
  });
});

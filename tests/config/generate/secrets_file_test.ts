import assert from "node:assert/strict";
import { encodeDocuments } from "../../../config/documents/encode.ts";
import { parseContract } from "../../../config/generate/contract.ts";
import { identityIn, readIdentity } from "../../../config/generate/identity.ts";
import { machineConfig } from "../../../config/generate/machine_config.ts";
import type { SecretsBundle } from "../../../config/generate/secrets.ts";
import {
  parseSecrets,
  readSecretsFile,
  renderSecrets,
  secretsFromConfig,
} from "../../../config/generate/secrets_file.ts";
import { withFolder } from "../../_folder.ts";
import { someSecrets } from "./_bundle.ts";
import {
  peerControlPlane,
  peerSecrets,
  peerWorker,
} from "./_talosctl_bundle.ts";

const short: SecretsBundle = {
  cluster: { id: "-_8=", secret: "+/8=" },
  secrets: {
    bootstrapToken: "123456.1234567890123456",
    secretboxEncryptionSecret: "c2VjcmV0",
  },
  trustdInfo: { token: "abcdef.0123456789abcdef" },
  certs: {
    etcd: { crt: "MQ==", key: "Mg==" },
    k8s: { crt: "Mw==", key: "NA==" },
    k8sAggregator: { crt: "NQ==", key: "Ng==" },
    k8sServiceAccount: { key: "Nw==" },
    os: { crt: "OA==", key: "OQ==" },
  },
};

const shortText = `cluster:
    id: -_8=
    secret: +/8=
secrets:
    bootstraptoken: "123456.1234567890123456"
    secretboxencryptionsecret: c2VjcmV0
trustdinfo:
    token: abcdef.0123456789abcdef
certs:
    etcd:
        crt: MQ==
        key: Mg==
    k8s:
        crt: Mw==
        key: NA==
    k8saggregator:
        crt: NQ==
        key: Ng==
    k8sserviceaccount:
        key: Nw==
    os:
        crt: OA==
        key: OQ==
`;

Deno.test("a secrets bundle is written in lower case, quoted where it must be", () => {
  assert.equal(renderSecrets(short), shortText);
});

Deno.test("a secrets bundle for an old version has the former encryption secret", () => {
  const { bootstrapToken } = short.secrets;
  const secrets = { bootstrapToken, aescbcEncryptionSecret: "b2xk" };
  assert.equal(
    renderSecrets({ ...short, secrets }),
    shortText.replace(
      "secretboxencryptionsecret: c2VjcmV0",
      "aescbcencryptionsecret: b2xk",
    ),
  );
});

Deno.test("a secrets bundle that was written is read as it was", async () => {
  assert.deepEqual(
    await parseSecrets(renderSecrets(someSecrets), "s.yaml"),
    someSecrets,
  );
});

Deno.test("a secrets bundle of talosctl is read, and written byte for byte", async () => {
  const bundle = await parseSecrets(peerSecrets, "s.yaml");
  assert.equal(
    bundle.cluster.id,
    "9bSVBvz624_ciiO-SM1042a2Ln0FAT1Yhux79bE2zvg=",
  );
  assert.equal(renderSecrets(bundle), peerSecrets);
});

Deno.test("a secrets bundle in JSON with capitals is read", async () => {
  const { cluster, secrets, trustdInfo, certs } = someSecrets;
  const pair = (
    { crt, key }: { readonly crt: string; readonly key: string },
  ) => ({ Crt: crt, Key: key });
  const json = JSON.stringify({
    Cluster: { Id: cluster.id, Secret: cluster.secret },
    Secrets: {
      BootstrapToken: secrets.bootstrapToken,
      AESCBCEncryptionSecret: "",
      SecretboxEncryptionSecret: secrets.secretboxEncryptionSecret,
    },
    TrustdInfo: { Token: trustdInfo.token },
    Certs: {
      Etcd: pair(certs.etcd),
      K8s: pair(certs.k8s),
      K8sAggregator: pair(certs.k8sAggregator),
      K8sServiceAccount: { Key: certs.k8sServiceAccount.key },
      OS: pair(certs.os),
    },
  });
  assert.deepEqual(await parseSecrets(json, "s.json"), someSecrets);
});

Deno.test("unknown keys, comments and further documents of a secrets bundle do not matter", async () => {
  const text = `# mine\nfuture: [1]\n${peerSecrets}    more: {}\n---\nx: 1\n`;
  assert.equal(renderSecrets(await parseSecrets(text, "s")), peerSecrets);
});

Deno.test("a key in lower case wins over one with capitals", async () => {
  for (
    const text of [`Cluster: 1\n${peerSecrets}`, `${peerSecrets}Certs: 1\n`]
  ) {
    assert.equal(renderSecrets(await parseSecrets(text, "s")), peerSecrets);
  }
});

Deno.test("base64 of a secrets bundle may be broken into lines", async () => {
  const broken = peerSecrets.replaceAll(
    /(crt|key): (.{70})/g,
    "$1: |\n            $2\n            ",
  );
  assert.notEqual(broken, peerSecrets);
  assert.equal(renderSecrets(await parseSecrets(broken, "s")), peerSecrets);
});

async function expectRefusal(
  text: string,
  message: string,
  hint = "Use the file that osctl gen secrets wrote",
): Promise<void> {
  await assert.rejects(parseSecrets(text, "s.yaml"), {
    name: "ConfigError",
    message,
    hint,
  });
}

Deno.test("everything a secrets bundle lacks is named at once", async () => {
  await expectRefusal(
    "cluster: {}\n",
    `Cannot use secrets bundle "s.yaml":
  s.yaml:1:1: cluster.id: "id" is missing
  s.yaml:1:1: cluster.secret: "secret" is missing
  s.yaml:1:1: secrets.bootstraptoken: "bootstraptoken" is missing
  s.yaml:1:1: secrets.secretboxencryptionsecret: "secretboxencryptionsecret" is missing
  s.yaml:1:1: trustdinfo.token: "token" is missing
  s.yaml:1:1: certs.etcd.crt: "crt" is missing
  s.yaml:1:1: certs.etcd.key: "key" is missing
  s.yaml:1:1: certs.k8s.crt: "crt" is missing
  s.yaml:1:1: certs.k8s.key: "key" is missing
  s.yaml:1:1: certs.k8saggregator.crt: "crt" is missing
  s.yaml:1:1: certs.k8saggregator.key: "key" is missing
  s.yaml:1:1: certs.k8sserviceaccount.key: "key" is missing
  s.yaml:1:1: certs.os.crt: "crt" is missing
  s.yaml:1:1: certs.os.key: "key" is missing`,
  );
});

Deno.test("everything that is wrong in a secrets bundle is named at once, without the secrets", async () => {
  const { etcd, k8s } = someSecrets.certs;
  const text = renderSecrets({
    ...someSecrets,
    cluster: { id: "", secret: "******" },
    secrets: {
      bootstrapToken: "a",
      aescbcEncryptionSecret: "b",
      secretboxEncryptionSecret: "c",
    },
    certs: {
      etcd: { crt: "?", key: etcd.key },
      k8s: { crt: k8s.crt, key: etcd.key },
      k8sAggregator: { crt: btoa("no PEM"), key: etcd.key },
      k8sServiceAccount: { key: etcd.crt },
      os: { crt: someSecrets.certs.os.crt, key: "******" },
    },
  });
  await expectRefusal(
    text,
    `Cannot use secrets bundle "s.yaml":
  s.yaml:2:5: cluster.id: "id" is missing
  s.yaml:3:5: cluster.secret: "secret" is redacted (Use the original file, not a redacted copy)
  s.yaml:6:5: secrets.aescbcencryptionsecret: Both "aescbcencryptionsecret" and "secretboxencryptionsecret" are given (Keep one of them)
  s.yaml:12:9: certs.etcd.crt: "crt" is not base64 (Use the base64 encoding of a PEM file)
  s.yaml:14:5: certs.k8s: Cannot use certificate authority: its key does not match its certificate
  s.yaml:17:5: certs.k8saggregator: Cannot read PEM: there is no "-----BEGIN" line
  s.yaml:21:9: certs.k8sserviceaccount.key: Cannot read private key: found only "CERTIFICATE"
  s.yaml:24:9: certs.os.key: "key" is redacted (Use the original file, not a redacted copy)`,
  );
});

Deno.test("a secret that is not text is named", async () => {
  await expectRefusal(
    peerSecrets.replace(/token: .*/, "token: [a]"),
    'Cannot use secrets bundle "s.yaml": s.yaml:5:5: ' +
      'secrets.bootstraptoken: "bootstraptoken" is not a string',
  );
});

Deno.test("a machine configuration is not taken for a secrets bundle", async () => {
  await assert.rejects(parseSecrets(peerControlPlane, "cp.yaml"), {
    name: "ConfigError",
    hint:
      "This is a machine configuration; make a secrets bundle from it with: osctl gen secrets --from-controlplane-config",
  });
});

Deno.test("a text without content is not a secrets bundle", async () => {
  await expectRefusal("# nothing\n", 'Cannot read "s.yaml": it is empty');
});

Deno.test("a secrets bundle is read out of a file", async () => {
  await withFolder({ "s.yaml": peerSecrets }, async (folder) => {
    const bundle = await readSecretsFile(`${folder}/s.yaml`);
    assert.equal(renderSecrets(bundle), peerSecrets);
  });
});

Deno.test("a secrets file that is not there says how to make one", async () => {
  await assert.rejects(readSecretsFile("/nowhere/s.yaml"), {
    name: "ConfigError",
    message: 'Cannot read "/nowhere/s.yaml": no such file',
    hint: "Create one with: osctl gen secrets",
  });
});

Deno.test("the configuration of a control plane gives back its secrets byte for byte", async () => {
  const bundle = await secretsFromConfig(peerControlPlane, "cp.yaml");
  assert.equal(renderSecrets(bundle), peerSecrets);
});

Deno.test("the main document may come after others, and have unknown keys", async () => {
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
    hint: "Use the machine configuration of a control plane",
  });
});

Deno.test("a configuration with secrets omitted is refused", async () => {
  const text = peerControlPlane.replace(/key: .*/, 'key: "******"');
  await assert.rejects(secretsFromConfig(text, "cp.yaml"), {
    message: 'Cannot use configuration "cp.yaml": cp.yaml:9:9: ' +
      'machine.ca.key: "key" is redacted ' +
      "(Use the original file, not a redacted copy)",
  });
});

Deno.test("a file without a main document is refused", async () => {
  const text = "apiVersion: v1alpha1\nkind: HostnameConfig\n";
  await assert.rejects(secretsFromConfig(text, "h.yaml"), {
    name: "ConfigError",
    message: 'Cannot read "h.yaml": it has no main document',
    hint: "Use the machine configuration of a control plane",
  });
});

Deno.test("secrets come out of a configuration in which they have documents of their own", async () => {
  const contract = parseContract("v1.14");
  const bundle = await parseSecrets(peerSecrets, "s.yaml");
  const documents = machineConfig({
    clusterName: "c",
    endpoint: "https://10.0.0.1:6443",
    contract,
    secrets: bundle,
  }, "controlplane");
  const text = encodeDocuments(documents);
  assert.deepEqual(await secretsFromConfig(text, "c.yaml"), bundle);
  assert.deepEqual(await identityIn(text), await readIdentity(bundle));
});

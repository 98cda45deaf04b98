import assert from "node:assert/strict";
import { parseSecrets } from "../../../config/generate/secrets_file.ts";
import { inspectCertificate } from "../../../pki/inspect.ts";
import { decodePemAs } from "../../../pki/pem.ts";
import { needs, openssl3 } from "../../_needs.ts";
import { kubeadmPki } from "../../config/generate/_kubeadm.ts";
import {
  peerControlPlane,
  peerSecrets,
  peerWorker,
} from "../../config/generate/_talosctl_bundle.ts";
import { namesIn, readMode, silence, toOutput } from "../config/_file.ts";
import { testIn } from "./_folder.ts";

const gen = ["gen", "secrets"];
const quick = "--os-version=v1.6";
const secretsFile = "-o=DIR/secrets.yaml";
const peerIdentity =
  "cluster id 9bSVBvz624_ciiO-SM1042a2Ln0FAT1Yhux79bE2zvg=, " +
  "node API CA sha256:93f952f1cac200a0ba455c4f2c76f873f65298e0ee07ef424b3c873d06cab9e7";

const layout = [
  "cluster:",
  "    id: #",
  "    secret: #",
  "secrets:",
  "    bootstraptoken: #",
  "    secretboxencryptionsecret: #",
  "trustdinfo:",
  "    token: #",
  "certs:",
  ...["etcd", "k8s", "k8saggregator"].flatMap((name) => [
    `    ${name}:`,
    "        crt: #",
    "        key: #",
  ]),
  "    k8sserviceaccount:",
  "        key: #",
  "    os:",
  "        crt: #",
  "        key: #",
  "",
].join("\n");

function normalizeLayout(text: string): string {
  return text.replaceAll(/: .+/g, ": #");
}

function decodeText(base64: string): string {
  return new TextDecoder().decode(Uint8Array.fromBase64(base64));
}

testIn(
  "gen secrets writes a file that only its owner may read",
  async ({ dir, osctl, read }) => {
    const ran = await osctl([...gen, secretsFile]);
    assert.deepEqual(toOutput(ran), silence);
    assert.deepEqual(await namesIn(dir), ["secrets.yaml"]);
    assert.equal(await readMode(`${dir}/secrets.yaml`), 0o600);
    const text = await read("secrets.yaml");
    assert.equal(normalizeLayout(text), layout);
    const { certs } = await parseSecrets(text, "secrets.yaml");
    const key = decodeText(certs.k8sServiceAccount.key);
    assert.match(key.slice(0, 32), /^-----BEGIN RSA PRIVATE KEY-----\n$/);
    assert.ok(key.length > 3200 && key.length < 3300, String(key.length));
  },
);

testIn(
  "gen secrets starts validity at the present",
  async ({ osctl }) => {
    const { out } = await osctl([...gen, quick, "-o=-"]);
    const { certs } = await parseSecrets(out, "out");
    const [der] = decodePemAs("CERTIFICATE", decodeText(certs.os.crt));
    const { notBefore, notAfter } = inspectCertificate(der);
    assert.equal(notBefore.toISOString(), "2026-01-02T03:04:05.000Z");
    assert.equal(notAfter.toISOString(), "2035-12-31T03:04:05.000Z");
  },
);

testIn(
  "gen secrets prints on standard output when asked to, and writes nothing",
  async ({ dir, osctl }) => {
    const { out, err, status } = await osctl([...gen, quick, "-o", "-"]);
    assert.deepEqual({ err, status }, { err: "", status: 0 });
    assert.equal(normalizeLayout(out), layout);
    assert.deepEqual(await namesIn(dir), []);
  },
);

testIn(
  "gen secrets makes what old versions understand",
  async ({ osctl }) => {
    for (const flag of ["--os-version", "--talos-version"]) {
      const { out } = await osctl([...gen, flag, "v1.2.3", "-o=-"]);
      const { secrets, certs } = await parseSecrets(out, "out");
      assert.equal(secrets.secretboxEncryptionSecret, undefined);
      assert.equal(secrets.aescbcEncryptionSecret?.length, 44);
      const key = decodeText(certs.k8sServiceAccount.key);
      assert.match(key, /^-----BEGIN EC PRIVATE KEY-----\n/);
    }
  },
);

testIn(
  "gen secrets uses the bootstrap token it is given",
  async ({ osctl }) => {
    const token = "abcdef.0123456789abcdef";
    const { out } = await osctl([...gen, quick, "-o=-", "-t", token]);
    assert.match(out, /\n {4}bootstraptoken: abcdef.0123456789abcdef\n/);
  },
);

testIn(
  "gen secrets takes the secrets out of the configuration of a control plane, byte for byte",
  async ({ osctl, read, write }) => {
    await write("cp.yaml", peerControlPlane);
    const flag = "--from-controlplane-config=DIR/cp.yaml";
    assert.deepEqual(
      toOutput(await osctl([...gen, flag, secretsFile])),
      silence,
    );
    assert.equal(await read("secrets.yaml"), peerSecrets);
  },
);

testIn(
  "gen secrets reads the configuration on standard input",
  async ({ osctl }) => {
    const { out } = await osctl(
      [...gen, "--from-controlplane-config=-", "-o=-"],
      { stdin: peerControlPlane },
    );
    assert.equal(out, peerSecrets);
  },
);

testIn(
  "gen secrets gives its own secrets back out of a configuration made from them",
  async ({ osctl, read }) => {
    await osctl([...gen, quick, secretsFile]);
    const made = await osctl([
      ...["gen", "config", "test", "https://10.0.0.1:6443"],
      ...["--with-secrets=DIR/secrets.yaml", "-o=DIR/cp.yaml"],
      "-t=controlplane",
    ]);
    assert.equal(made.status, 0, made.err);
    const { out } = await osctl([
      ...gen,
      "--from-controlplane-config=DIR/cp.yaml",
      "-o=-",
    ]);
    assert.equal(out, await read("secrets.yaml"));
  },
);

testIn(
  "gen secrets refuses the configuration of a worker",
  async ({ dir, osctl, write }) => {
    await write("w.yaml", peerWorker);
    const flag = "--from-controlplane-config=DIR/w.yaml";
    const { err, status } = await osctl([...gen, flag, secretsFile]);
    assert.equal(status, 2);
    const [first, second] = err.split("\n");
    assert.equal(
      first,
      `error: Cannot use configuration "${dir}/w.yaml" of a worker:`,
    );
    assert.equal(
      second,
      `  ${dir}/w.yaml:29:1: cluster.secretboxEncryptionSecret: "secretboxEncryptionSecret" is missing`,
    );
    assert.match(err, /machine\.ca\.key: "key" is missing\n/);
    assert.deepEqual(await namesIn(dir), ["w.yaml"]);
  },
);

testIn(
  "gen secrets takes CAs and key out of a Kubernetes PKI, and makes the rest",
  async ({ dir, osctl }) => {
    const pki = await kubeadmPki();
    await Deno.mkdir(`${dir}/etcd`);
    for (const [name, pem] of Object.entries(pki)) {
      await Deno.writeTextFile(`${dir}/${name}`, pem);
    }
    const token = "--kubernetes-bootstrap-token=abcdef.0123456789abcdef";
    const ran = await osctl([...gen, "-p=DIR", token, "-o=-"]);
    assert.deepEqual([ran.err, ran.status], ["", 0]);
    const { certs, secrets } = await parseSecrets(ran.out, "out");
    assert.equal(secrets.bootstrapToken, "abcdef.0123456789abcdef");
    assert.equal(secrets.secretboxEncryptionSecret?.length, 44);
    const { etcd, k8s, k8sAggregator, k8sServiceAccount, os } = certs;
    assert.deepEqual(
      [k8s, etcd, k8sAggregator].map(({ crt, key }) => [
        decodeText(crt),
        decodeText(key),
      ]),
      ["ca", "etcd/ca", "front-proxy-ca"].map((name) => [
        Reflect.get(pki, `${name}.crt`),
        Reflect.get(pki, `${name}.key`),
      ]),
    );
    assert.equal(decodeText(k8sServiceAccount.key), pki["sa.key"]);
    assert.match(decodeText(os.key), /^-----BEGIN ED25519 PRIVATE KEY-----\n/);
  },
  needs(openssl3),
);

testIn(
  "gen secrets says which of two sources it does not use",
  async ({ osctl, write }) => {
    await write("cp.yaml", peerControlPlane);
    const config = "--from-controlplane-config=DIR/cp.yaml";
    const both = await osctl([...gen, config, "-p=DIR/none", "-o=-"]);
    assert.match(
      both.err,
      /^--from-controlplane-config is not used: --from-kubernetes-pki is given\nerror: Cannot use Kubernetes PKI/,
    );
    const token = "-t=abcdef.0123456789abcdef";
    const { err, out } = await osctl([...gen, config, token, "-o=-"]);
    assert.equal(
      err,
      "--kubernetes-bootstrap-token is not used: the configuration has one\n",
    );
    assert.equal(out, peerSecrets);
  },
);

testIn(
  "gen secrets does not replace secrets, and shows both clusters",
  async ({ dir, osctl, read, write }) => {
    await write("secrets.yaml", peerSecrets);
    const { err, status } = await osctl([...gen, quick, secretsFile]);
    assert.equal(status, 2);
    const [first, second, third = "", hint] = err.split("\n");
    assert.equal(
      first,
      `error: Cannot write "${dir}/secrets.yaml": it already exists, and for another cluster`,
    );
    assert.equal(second, `  ${dir}/secrets.yaml: ${peerIdentity}`);
    assert.match(
      third,
      /^ {2}new: cluster id [\w-]{43}=, node API CA sha256:[0-9a-f]{64}$/,
    );
    assert.equal(hint, "hint: Replace with --force, which keeps a dated copy");
    assert.equal(await read("secrets.yaml"), peerSecrets);
    assert.deepEqual(await namesIn(dir), ["secrets.yaml"]);
  },
);

testIn(
  "gen secrets says when what exists is for the same cluster, or for none",
  async ({ dir, osctl, write }) => {
    await write("cp.yaml", peerControlPlane);
    const flag = "--from-controlplane-config=DIR/cp.yaml";
    const start =
      `error: Cannot write "${dir}/secrets.yaml": it already exists`;
    const hint = "hint: Replace with --force, which keeps a dated copy\n";
    await write("secrets.yaml", peerSecrets);
    const same = await osctl([...gen, flag, secretsFile]);
    assert.equal(same.err, `${start}, for the same cluster\n${hint}`);
    await write("secrets.yaml", "shopping list\n");
    const none = await osctl([...gen, flag, secretsFile]);
    assert.equal(none.err, `${start}\n${hint}`);
  },
);

testIn(
  "gen secrets with --force makes no copy of the same secrets",
  async ({ dir, osctl, write }) => {
    await write("cp.yaml", peerControlPlane);
    await write("secrets.yaml", peerSecrets);
    const flag = "--from-controlplane-config=DIR/cp.yaml";
    const ran = await osctl([...gen, flag, secretsFile, "-f"]);
    assert.deepEqual(toOutput(ran), silence);
    assert.deepEqual(await namesIn(dir), ["cp.yaml", "secrets.yaml"]);
  },
);

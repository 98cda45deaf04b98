import assert from "node:assert/strict";
import { readKubernetesPki } from "../../../config/generate/kubernetes_pki.ts";
import { withFolder } from "../../_folder.ts";
import { needs, openssl3 } from "../../_needs.ts";
import { decodeText, someSecrets } from "./_bundle.ts";
import { kubeadmPki } from "./_kubeadm.ts";

const { etcd, k8s, k8sAggregator, k8sServiceAccount } = someSecrets.certs;
const files = {
  "pki/ca.crt": decodeText(k8s.crt),
  "pki/ca.key": decodeText(k8s.key),
  "pki/etcd/ca.crt": decodeText(etcd.crt),
  "pki/etcd/ca.key": decodeText(etcd.key),
  "pki/front-proxy-ca.crt": decodeText(k8sAggregator.crt),
  "pki/front-proxy-ca.key": decodeText(k8sAggregator.key),
  "pki/sa.key": decodeText(k8sServiceAccount.key),
  "pki/sa.pub": "not read",
};

Deno.test("a Kubernetes PKI gives the CAs and the key as they are", async () => {
  await withFolder(files, async (folder) => {
    assert.deepEqual(await readKubernetesPki(`${folder}/pki`), {
      etcd,
      k8s,
      k8sAggregator,
      k8sServiceAccount,
    });
  });
});

Deno.test({
  name: "a Kubernetes PKI with RSA keys, as openssl writes them, is read",
  ...needs(openssl3),
  async fn() {
    const made = await kubeadmPki();
    await withFolder(made, async (folder) => {
      const certs = await readKubernetesPki(folder);
      assert.equal(decodeText(certs.k8s.crt), made["ca.crt"]);
      assert.equal(decodeText(certs.etcd.key), made["etcd/ca.key"]);
      assert.equal(decodeText(certs.k8sServiceAccount.key), made["sa.key"]);
      assert.match(made["sa.key"], /^-----BEGIN RSA PRIVATE KEY-----\n/);
    });
  },
});

Deno.test("everything that is missing or wrong in a Kubernetes PKI is named at once", async () => {
  const wrong = {
    "pki/ca.crt": files["pki/ca.crt"],
    "pki/ca.key": files["pki/etcd/ca.key"],
    "pki/etcd/ca.crt": "no PEM",
    "pki/etcd/ca.key": files["pki/etcd/ca.key"],
    "pki/front-proxy-ca.crt": files["pki/front-proxy-ca.crt"],
    "pki/sa.key": files["pki/ca.crt"],
  };
  await withFolder(wrong, async (folder) => {
    await assert.rejects(readKubernetesPki(`${folder}/pki`), {
      name: "ConfigError",
      message: `Cannot use Kubernetes PKI "${folder}/pki":
  ca.crt: Cannot use certificate authority: its key does not match its certificate
  etcd/ca.crt: Cannot read PEM: there is no "-----BEGIN" line
  front-proxy-ca.key: No such file
  sa.key: Cannot read private key: found only "CERTIFICATE"`,
    });
  });
});

Deno.test("a file is not a Kubernetes PKI", async () => {
  await withFolder(files, async (folder) => {
    await assert.rejects(readKubernetesPki(`${folder}/pki/ca.crt`), {
      name: "ConfigError",
      message: `Cannot read "${folder}/pki/ca.crt": it is not a directory`,
      hint: "Give a directory like /etc/kubernetes/pki",
    });
  });
});

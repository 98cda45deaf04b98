/** A PKI directory in the layout of kubeadm, made by openssl. */

import { openssl } from "../../pki/_openssl.ts";

/** Files of the directory that secrets come from. */
export type KubeadmFiles = Readonly<
  Record<
    | "ca.crt"
    | "ca.key"
    | "etcd/ca.crt"
    | "etcd/ca.key"
    | "front-proxy-ca.crt"
    | "front-proxy-ca.key"
    | "sa.key",
    string
  >
>;

/** Makes three CAs and a key of service accounts; RSA, in PKCS#1. */
export async function kubeadmPki(): Promise<KubeadmFiles> {
  const [ca, etcd, frontProxy, account] = await Promise.all([
    makeCa("kubernetes"),
    makeCa("etcd-ca"),
    makeCa("front-proxy-ca"),
    rsaKey(),
  ]);
  return {
    "ca.crt": ca.crt,
    "ca.key": ca.key,
    "etcd/ca.crt": etcd.crt,
    "etcd/ca.key": etcd.key,
    "front-proxy-ca.crt": frontProxy.crt,
    "front-proxy-ca.key": frontProxy.key,
    "sa.key": account,
  };
}

async function makeCa(
  name: string,
): Promise<{ readonly crt: string; readonly key: string }> {
  const key = await rsaKey();
  const { text: crt } = await openssl([
    ...["req", "-x509", "-new", "-key", "key", "-days", "3650"],
    ...["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`],
    ...["-addext", "keyUsage=critical,digitalSignature,keyCertSign"],
  ], { key });
  return { crt, key };
}

async function rsaKey(): Promise<string> {
  return (await openssl(["genrsa", "-traditional", "2048"])).text;
}

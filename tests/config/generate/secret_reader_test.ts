import assert from "node:assert/strict";
import { readSecrets } from "../../../config/generate/secret_reader.ts";
import { toCursor } from "../../../config/documents/cursor.ts";
import { toTree } from "../../../config/tree/node.ts";
import { someSecrets } from "./_bundle.ts";

type Values = Parameters<typeof toTree>[0];

/** Reads secrets that stand under these names. */
function read(values: { readonly [name: string]: Values }) {
  const root = toCursor(toTree(values));
  return readSecrets({
    id: root.get("id"),
    secret: root.get("secret"),
    bootstrapToken: root.get("join"),
    aescbc: root.get("old"),
    secretbox: root.get("new"),
    token: root.get("token"),
    certs: {
      etcd: root.get("etcd"),
      k8s: root.get("k8s"),
      k8sAggregator: root.get("aggregator"),
      k8sServiceAccount: root.get("accounts"),
      os: root.get("os"),
    },
  });
}

const { cluster, secrets, trustdInfo, certs } = someSecrets;
const values: { readonly [name: string]: Values } = {
  ...cluster,
  join: secrets.bootstrapToken,
  new: secrets.secretboxEncryptionSecret ?? null,
  token: trustdInfo.token,
  etcd: { ...certs.etcd },
  k8s: { ...certs.k8s },
  aggregator: { ...certs.k8sAggregator },
  accounts: { ...certs.k8sServiceAccount },
  os: { ...certs.os },
};

Deno.test("secrets are read from wherever they are", async () => {
  assert.deepEqual(await read(values), { bundle: someSecrets, problems: [] });
});

Deno.test("an empty encryption secret is as good as none", async () => {
  const { bundle, problems } = await read({ ...values, old: "" });
  assert.deepEqual({ bundle, problems }, { bundle: someSecrets, problems: [] });
});

Deno.test("problems are named by their place", async () => {
  const { problems } = await read({
    ...values,
    join: null,
    old: "x",
    accounts: { key: ["a"] },
    etcd: "no mapping",
  });
  assert.deepEqual(
    problems.map(({ level, path, message }) => `${level} ${path}: ${message}`),
    [
      'error join: "join" is missing',
      'error old: Both "old" and "new" are given',
      'error etcd.crt: "crt" is missing',
      'error etcd.key: "key" is missing',
      'error accounts.key: "key" is not a string',
    ],
  );
});

Deno.test("a CA whose key is none is a problem", async () => {
  const { crt } = certs.k8s;
  const { problems } = await read({ ...values, k8s: { crt, key: crt } });
  assert.deepEqual(problems, [{
    level: "error",
    path: "k8s",
    message: 'Cannot read private key: found only "CERTIFICATE"',
  }]);
});

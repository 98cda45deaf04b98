import assert from "node:assert/strict";
import { parseContract } from "../../../config/generate/contract.ts";
import {
  type EncodedCa,
  encodeFile,
  type GenerateOptions,
  generateSecrets,
  randomCharacters,
  randomToken,
  type SecretsBundle,
} from "../../../config/generate/secrets.ts";
import { readCa } from "../../../pki/ca.ts";
import { issueCertificate } from "../../../pki/certificate.ts";
import {
  exportPublicSpki,
  generateKey,
  platformBytes,
} from "../../../pki/key.ts";
import { encodePem } from "../../../pki/pem.ts";
import { needs, openssl3 } from "../../_needs.ts";
import { openssl } from "../../pki/_openssl.ts";
import { decodeText, madeAt, quickKey, someSecrets } from "./_bundle.ts";

function generate(
  version: string,
  options: Partial<GenerateOptions> = {},
): Promise<SecretsBundle> {
  return generateSecrets({
    contract: parseContract(version),
    now: madeAt,
    makeKey: quickKey,
    ...options,
  });
}

Deno.test("identity, secrets and tokens are the random bytes in their encodings", async () => {
  let next = 0;
  const random = (length: number) =>
    new Uint8Array(length).fill([0xfb, 0xff, 0x00, 0x24][next++ % 4] ?? 0);
  const { cluster, secrets, trustdInfo } = await generate("v1.12", {
    random,
    given: { certs: someSecrets.certs },
  });
  assert.deepEqual({ cluster, secrets, trustdInfo }, {
    cluster: {
      id: "-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_s=",
      secret: "//////////////////////////////////////////8=",
    },
    secrets: {
      bootstrapToken: "000000.0000000000000000",
      secretboxEncryptionSecret: "+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s=",
    },
    trustdInfo: { token: "000000.0000000000000000" },
  });
});

for (
  const [version, encryption, serviceAccount] of [
    ["v1.0", "aescbcEncryptionSecret", "EC"],
    ["v1.2", "aescbcEncryptionSecret", "EC"],
    ["v1.3", "secretboxEncryptionSecret", "EC"],
    ["v1.6", "secretboxEncryptionSecret", "EC"],
    ["v1.7", "secretboxEncryptionSecret", "RSA"],
    ["v1.12", "secretboxEncryptionSecret", "RSA"],
  ] as const
) {
  Deno.test(`${version} has ${encryption} and signs service accounts with ${serviceAccount}`, async () => {
    const { secrets, certs } = await generate(version);
    assert.deepEqual(Object.keys(secrets), ["bootstrapToken", encryption]);
    const [label] = decodeText(certs.k8sServiceAccount.key).split("\n");
    assert.equal(label, `-----BEGIN ${serviceAccount} PRIVATE KEY-----`);
  });
}

Deno.test("all keys are requested before the first is there", async () => {
  const asked: string[] = [];
  const { promise: five, resolve } = Promise.withResolvers<void>();
  await generate("v1.12", {
    async makeKey(algorithm) {
      if (asked.push(algorithm) === 5) resolve();
      await five;
      return quickKey(algorithm);
    },
  });
  assert.deepEqual(asked, ["RSA", "ECDSA", "ECDSA", "ECDSA", "Ed25519"]);
});

Deno.test("generateSecrets: keeps given secrets and generates the others", async () => {
  const { etcd, k8s, k8sAggregator, k8sServiceAccount } = someSecrets.certs;
  const made = await generate("v1.12", {
    given: {
      bootstrapToken: "abcdef.0123456789abcdef",
      certs: { etcd, k8s, k8sAggregator, k8sServiceAccount },
    },
    makeKey: (algorithm) => {
      assert.equal(algorithm, "Ed25519");
      return generateKey();
    },
  });
  assert.equal(made.secrets.bootstrapToken, "abcdef.0123456789abcdef");
  assert.deepEqual(made.certs, { ...someSecrets.certs, os: made.certs.os });
  assert.notDeepEqual(made.certs.os, someSecrets.certs.os);
  assert.notDeepEqual(made.cluster, someSecrets.cluster);
  assert.notDeepEqual(made.trustdInfo, someSecrets.trustdInfo);
});

const cas = [
  ["etcd", "etcd", "O=etcd", "id-ecPublicKey", "P-256"],
  ["Kubernetes", "k8s", "O=kubernetes", "id-ecPublicKey", "P-256"],
  ["the aggregation layer", "k8sAggregator", "", "id-ecPublicKey", "P-256"],
  ["the node API", "os", "O=talos", "ED25519", ""],
] as const;

for (const [what, name, subject, algorithm, curve] of cas) {
  Deno.test({
    name: `the CA of ${what} is for ten years, with subject "${subject}"`,
    ...needs(openssl3),
    async fn() {
      const crt = decodeText(someSecrets.certs[name].crt);
      const show = ["x509", "-in", "crt", "-noout", "-text"];
      const { text } = await openssl([...show, "-nameopt", "sname"], { crt });
      for (
        const line of [
          `Issuer: ${subject}\n`,
          `Subject: ${subject}\n`,
          "Not Before: Jun  1 12:00:00 2030 GMT\n",
          "Not After : May 29 12:00:00 2040 GMT\n",
          `Public Key Algorithm: ${algorithm}\n`,
          curve,
          "X509v3 Key Usage: critical\n" +
          "                Digital Signature, Certificate Sign\n",
          "X509v3 Basic Constraints: critical\n                CA:TRUE\n",
        ]
      ) {
        assert.ok(text.includes(line), `${line}\n${text}`);
      }
    },
  });

  for (const purpose of ["sslserver", "sslclient"] as const) {
    Deno.test({
      name: `openssl verifies what the CA of ${what} signs as ${purpose}`,
      ...needs(openssl3),
      async fn() {
        const { crt: ca } = someSecrets.certs[name];
        const leaf = await signLeaf(someSecrets.certs[name], purpose);
        // RFC 5280 wants a name, this one never had one.
        const strict = subject === "" ? [] : ["-x509_strict"];
        const { text, problem } = await openssl([
          "verify",
          ...strict,
          "-attime",
          String(madeAt.getTime() / 1000 + 60),
          "-purpose",
          purpose,
          "-CAfile",
          "ca",
          "leaf",
        ], { ca: decodeText(ca), leaf });
        assert.equal(text, "leaf: OK\n", problem);
      },
    });
  }
}

async function signLeaf(
  { crt, key }: EncodedCa,
  purpose: "sslserver" | "sslclient",
): Promise<string> {
  const certificate = await issueCertificate({
    ca: await readCa(decodeText(crt), decodeText(key)),
    subject: { organizations: ["system:nodes"] },
    publicKey: await exportPublicSpki(await generateKey()),
    subjectAltNames: { dns: ["localhost"] },
    extendedKeyUsage: purpose === "sslserver" ? ["serverAuth"] : ["clientAuth"],
    now: madeAt,
  });
  return encodePem("CERTIFICATE", certificate);
}

Deno.test({
  name: "openssl finds the key of service accounts valid",
  ...needs(openssl3),
  async fn() {
    const { key } = someSecrets.certs.k8sServiceAccount;
    const args = ["rsa", "-in", "key", "-check", "-noout"];
    const { text, problem } = await openssl(args, { key: decodeText(key) });
    assert.equal(text, "RSA key ok\n", problem);
  },
});

Deno.test("two clusters have nothing in common", async () => {
  const listValues = (value: unknown): unknown[] =>
    typeof value === "object" && value !== null
      ? Object.values(value).flatMap(listValues)
      : [value];
  const other = new Set(listValues(await generate("v1.12")));
  const values = listValues(someSecrets);
  assert.equal(values.length, 14);
  assert.deepEqual(values.filter((value) => other.has(value)), []);
});

Deno.test("encodeFile writes base64 of a text or of bytes", () => {
  assert.equal(encodeFile("a+b?>"), "YStiPz4=");
  assert.equal(encodeFile(Uint8Array.of(0, 255)), "AP8=");
});

/** Gives these bytes, as many at a time as asked for. */
function giving(...bytes: readonly number[]): {
  readonly random: (length: number) => Uint8Array;
  readonly asked: number[];
} {
  const left = [...bytes];
  const asked: number[] = [];
  const random = (length: number) => {
    asked.push(length);
    return Uint8Array.from(left.splice(0, length));
  };
  return { random, asked };
}

Deno.test("a token has 6 and 16 lower-case letters and digits", () => {
  for (let count = 0; count < 100; count++) {
    assert.match(randomToken(platformBytes), /^[0-9a-z]{6}\.[0-9a-z]{16}$/);
  }
});

Deno.test("every character stands for seven bytes", () => {
  const all = Array.from({ length: 252 }, (_, byte) => byte);
  const { random } = giving(...all);
  assert.equal(
    randomCharacters(252, random),
    "0123456789abcdefghijklmnopqrstuvwxyz".repeat(7),
  );
});

Deno.test("bytes that would make some characters likelier are drawn again", () => {
  const { random, asked } = giving(10, 252, 253, 11, 254, 12, 255, 13);
  assert.equal(randomCharacters(4, random), "abcd");
  assert.deepEqual(asked, [4, 2, 1, 1]);
});

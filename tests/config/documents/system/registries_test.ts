import assert from "node:assert/strict";
import { toCursor } from "../../../../config/documents/cursor.ts";
import { toTree } from "../../../../config/tree/node.ts";
import { generateKey } from "../../../../pki/key.ts";
import { encodePkcs8 } from "../../../../pki/private_key.ts";
import { encodePrivateKey } from "../../../../pki/private_key.ts";
import {
  examplePemCertificate as cert,
  examplePemKey as key,
} from "../../../../config/documents/example_material.ts";
import {
  registryAuth,
  registryMirror,
  registryTls,
} from "../../../../config/documents/system/registries.ts";
import { testRules } from "../_rules.ts";

testRules(registryAuth, [
  {
    title: "one way of signing in is fine",
    value: { name: "a", username: "u", password: "p", auth: "" },
    problems: [],
  },
  {
    title: "two ways of signing in are one too many",
    value: { name: "a", username: "u", identityToken: "t" },
    problems: ['identityToken: Both "username" and "identityToken" are given'],
  },
  {
    title: "three ways of signing in are two too many",
    value: { name: "a", username: "u", auth: "x", identityToken: "t" },
    problems: [
      'auth: Both "username" and "auth" are given',
      'identityToken: Both "username" and "identityToken" are given',
    ],
  },
]);

testRules(registryMirror, [
  {
    title: "mirrors speak HTTP, with or without TLS",
    value: {
      name: "*",
      endpoints: [{ url: "http://10.0.0.10:5000" }, { url: "HTTPS://a/b" }],
    },
    problems: [],
  },
  {
    title: "mirrors speak nothing else",
    value: {
      name: "a",
      endpoints: [{ url: "https://a" }, { url: "oci://a" }, { url: "a" }],
    },
    problems: [
      'endpoints[1].url: URL "oci://a" does not start with http:// or https://',
      'endpoints[2].url: URL "a" does not start with http:// or https://',
    ],
  },
]);

const broken = cert.replace("MIIBODCB", "MIIBODCC");

testRules(registryTls, [
  {
    title: "certificates and keys that can be read are fine",
    value: { name: "a", ca: `${key}${cert}`, clientIdentity: { cert, key } },
    problems: [],
  },
  {
    title: "one CA that can be read is enough",
    value: { name: "a", ca: `${broken}${cert}` },
    problems: [],
  },
  {
    title: "CAs are certificates",
    value: { name: "a", ca: key },
    problems: ["ca: It contains no valid certificate"],
  },
  {
    title: "broken CAs are refused",
    value: { name: "a", ca: broken },
    problems: ["ca: It contains no valid certificate"],
  },
  {
    title: "an identity is a certificate and a key",
    value: { name: "a", clientIdentity: { cert: key, key: cert } },
    problems: [
      "clientIdentity.cert: It contains no valid certificate",
      "clientIdentity.key: It contains no valid private key",
    ],
  },
  {
    title: "an identity is not empty",
    value: { name: "a", clientIdentity: {} },
    problems: [
      "clientIdentity.cert: It contains no valid certificate",
      "clientIdentity.key: It contains no valid private key",
    ],
  },
]);

Deno.test("RegistryTLSConfig: nodes before 1.14 take keys in PKCS#8 only", async () => {
  const rules = (key: string, version?: "1.13" | "1.14") =>
    [
      ...registryTls.rules?.(
        toCursor(toTree({ clientIdentity: { cert, key } })),
        version,
      ) ?? [],
    ].map(({ path, message, hint }) => [path, message, hint]);
  const key = encodePrivateKey(await generateKey("ECDSA"));
  assert.match(key, /BEGIN EC PRIVATE KEY/);
  const refused = [[
    "clientIdentity.key",
    'Nodes before 1.14 do not accept a key of the form "EC PRIVATE KEY"',
    "Convert it to PKCS#8: openssl pkcs8 -topk8 -nocrypt -in client.key",
  ]];
  assert.deepEqual(rules(key), refused);
  assert.deepEqual(rules(key, "1.13"), refused);
  assert.deepEqual(rules(key, "1.14"), []);
  assert.deepEqual(rules(encodePkcs8(await generateKey("ECDSA"))), []);
});

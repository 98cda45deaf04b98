import {
  examplePemCertificate as cert,
  examplePemKey as key,
} from "../../../config/documents/example_material.ts";
import { registryTls } from "../../../config/documents/registry_tls.ts";
import { testRules } from "./_rules.ts";

const broken = cert.replace("MIIBODCB", "MIIBODCC");

testRules(registryTls, [
  {
    title: "certificates and keys that can be read are fine",
    value: { name: "a", ca: `${key}${cert}`, clientIdentity: { cert, key } },
    problems: [],
  },
  {
    title: "one authority that can be read is enough",
    value: { name: "a", ca: `${broken}${cert}` },
    problems: [],
  },
  {
    title: "authorities are certificates",
    value: { name: "a", ca: key },
    problems: ["ca: No certificate can be read"],
  },
  {
    title: "broken authorities are refused",
    value: { name: "a", ca: broken },
    problems: ["ca: No certificate can be read"],
  },
  {
    title: "an identity is a certificate and a key",
    value: { name: "a", clientIdentity: { cert: key, key: cert } },
    problems: [
      "clientIdentity.cert: No certificate can be read",
      "clientIdentity.key: No private key can be read",
    ],
  },
  {
    title: "an identity is not empty",
    value: { name: "a", clientIdentity: {} },
    problems: [
      "clientIdentity.cert: No certificate can be read",
      "clientIdentity.key: No private key can be read",
    ],
  },
]);

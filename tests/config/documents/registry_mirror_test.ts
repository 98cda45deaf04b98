import { registryMirror } from "../../../config/documents/registry_mirror.ts";
import { testRules } from "./_rules.ts";

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
      'endpoints[1].url: URL "oci://a" does not begin with http:// or https://',
      'endpoints[2].url: URL "a" does not begin with http:// or https://',
    ],
  },
]);

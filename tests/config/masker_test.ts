import assert from "node:assert/strict";
import { createMasker } from "../../config/masker.ts";

const key = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIAabcdefghij
klmnopqrstuvwxyz
-----END PRIVATE KEY-----
`;

Deno.test("a masker hides a value, its base64 and its JSON form", () => {
  const { add, mask } = createMasker();
  add('pass"word\\123');
  assert.equal(
    mask(
      'plain pass"word\\123, json "pass\\"word\\\\123", base64 cGFzcyJ3b3JkXDEyMw==.',
    ),
    'plain ******, json "******", base64 ******==.',
  );
});

Deno.test("a masker hides each line of a key, and keeps the lines around it", () => {
  const { add, mask } = createMasker();
  add(new TextEncoder().encode(key));
  assert.equal(
    mask("x MC4CAQAwBQYDK2VwBCIEIAabcdefghij y\n  klmnopqrstuvwxyz"),
    "x ****** y\n  ******",
  );
  assert.equal(
    mask("-----BEGIN PRIVATE KEY-----\nother\n-----END PRIVATE KEY-----"),
    "-----BEGIN PRIVATE KEY-----\nother\n-----END PRIVATE KEY-----",
  );
  assert.equal(mask(`"${JSON.stringify(key).slice(1, -1)}"`), '"******\\n"');
});

Deno.test("a masker leaves values below eight characters alone", () => {
  const { add, mask } = createMasker();
  add("secret1");
  assert.equal(mask("a secret1 of 7"), "a secret1 of 7");
  add("secret12");
  assert.equal(mask("a secret12 of 8"), "a ****** of 8");
});

Deno.test("a masker hides the longer of two values", () => {
  const { add, mask } = createMasker();
  add("abcdefgh");
  add("abcdefghijkl");
  assert.equal(mask("abcdefghijkl abcdefgh"), "****** ******");
});

Deno.test("a masker hides only the secret fields of a machine configuration", () => {
  const { add, mask } = createMasker();
  const text = `machine:
  type: controlplane
  token: aaaaaa.bbbbbbbbbbbbbbbb
  ca:
    crt: Y2VydGlmaWNhdGU=
    key: ${btoa(key)}
  install: {disk: /dev/sda-very-long}
---
apiVersion: v1alpha1
kind: KubeAPIServerCAConfig
issuingCA:
  cert: |-
    -----BEGIN CERTIFICATE-----
    public-part-of-it
  key: |-
    -----BEGIN EC PRIVATE KEY-----
    secret-part-of-it
`;
  add(text);
  assert.equal(
    mask(
      "aaaaaa.bbbbbbbbbbbbbbbb Y2VydGlmaWNhdGU= /dev/sda-very-long klmnopqrstuvwxyz public-part-of-it secret-part-of-it type: controlplane",
    ),
    "****** Y2VydGlmaWNhdGU= /dev/sda-very-long ****** public-part-of-it ****** type: controlplane",
  );
});

Deno.test("a masker takes what only looks like a configuration as one secret", () => {
  const { add, mask } = createMasker();
  add("machine: [unclosed");
  assert.equal(mask("it said machine: [unclosed"), "it said ******");
});

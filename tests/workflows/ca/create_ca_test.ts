import assert from "node:assert/strict";
import { withCluster } from "../../_cluster.ts";
import { testCa } from "../../_test_ca.ts";
import { ConfigError } from "../../../errors.ts";
import { inspectCertificate } from "../../../pki/inspect.ts";
import { decodePemAs } from "../../../pki/pem.ts";
import {
  givenCa,
  newCaCertificate,
  newCaKey,
} from "../../../workflows/ca/create_ca.ts";

const now = Date.parse("2026-01-02T03:04:05Z");
const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("a new CA may sign others for ten years", async () => {
  for (
    const [kind, algorithm, organization] of [
      ["os", "Ed25519", "talos"],
      ["kubernetes", "ECDSA", "kubernetes"],
    ] as const
  ) {
    const key = await newCaKey(kind);
    const pem = await newCaCertificate(kind, key, now);
    const [der] = decodePemAs("CERTIFICATE", pem);
    const facts = inspectCertificate(der);
    assert.equal(facts.isCa, true);
    assert.equal(facts.keyAlgorithm, algorithm);
    assert.deepEqual(facts.subject.organizations, [organization]);
    assert.equal(facts.notAfter.toISOString(), "2035-12-31T03:04:05.000Z");
    const read = await givenCa(encode(key + pem), kind, now);
    assert.deepEqual(read, { crt: pem, key });
  }
});

Deno.test("a CA of the operator's own has to be of use", async () => {
  const [good, other, over, soon] = await Promise.all([
    testCa(),
    testCa(),
    testCa(new Date("2025-12-31T00:00:00Z")),
    testCa(new Date("2026-01-20T00:00:00Z")),
  ]);
  const cases = [
    [good.pem, "os", now, /found only "CERTIFICATE"/],
    [good.pem + other.key, "os", now, /does not match its certificate/],
    [over.pem + over.key, "os", now, /it expired on 2025-12-31/],
    [soon.pem + soon.key, "os", now, /within a month/],
    [good.pem + good.key, "os", 0, /is not valid before 2020/],
    [
      good.pem + good.key,
      "kubernetes",
      now,
      /its key is Ed25519, not ECDSA or RSA/,
    ],
  ] as const;
  for (const [text, kind, at, message] of cases) {
    await assert.rejects(
      () => givenCa(encode(text), kind, at),
      (error) => error instanceof ConfigError && message.test(error.message),
    );
  }
});

Deno.test("a client's certificate is not a CA", async () => {
  await withCluster({}, async ({ adminIdentity: { crt, key } }) => {
    await assert.rejects(
      () => givenCa(encode(crt + key), "os", now),
      /is not a CA certificate/,
    );
  });
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { ConfigError } from "../../errors.ts";
import { generateKey, publicSpkiOf } from "../../pki/key.ts";
import { createRequest } from "../../pki/request.ts";
import { inspectRequest } from "../../pki/request_facts.ts";
import { assertConfigRejection } from "./_errors.ts";
import { hasOpenssl, openssl } from "./_openssl.ts";

Deno.test("inspectRequest reads what createRequest wrote", async () => {
  const key = await generateKey();
  const request = await createRequest({
    key,
    organizations: ["os:admin"],
    commonName: "x",
    subjectAltNames: { dns: ["a.b"], ips: ["10.0.0.1"] },
  });
  const facts = await inspectRequest(request);
  assert.deepEqual(facts.subject.organizations, ["os:admin"]);
  assert.equal(facts.subject.commonName, "x");
  assert.deepEqual(facts.spki, await publicSpkiOf(key));
  assert.deepEqual(facts.subjectAltNames, { dns: ["a.b"], ips: ["10.0.0.1"] });
});

Deno.test({
  name: "inspectRequest reads a request of openssl with other attributes",
  ignore: !hasOpenssl,
  async fn() {
    const config = `[req]
prompt = no
distinguished_name = name
attributes = more
req_extensions = wanted
[name]
O = x
[more]
challengePassword = 12345
[wanted]
subjectAltName = IP:10.0.0.9
`;
    const { bytes, problem } = await openssl([
      ...["req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", "key"],
      ...["-config", "config", "-outform", "DER"],
    ], { config });
    assert.ok(bytes.length > 0, problem);
    const facts = await inspectRequest(bytes);
    assert.deepEqual(facts.subject.organizations, ["x"]);
    assert.deepEqual(facts.subjectAltNames, { dns: [], ips: ["10.0.0.9"] });
  },
});

Deno.test("inspectRequest reads a request without extensions", async () => {
  const request = await createRequest({
    key: await generateKey(),
    organizations: ["x"],
  });
  const { subjectAltNames } = await inspectRequest(request);
  assert.deepEqual(subjectAltNames, { dns: [], ips: [] });
});

Deno.test("inspectRequest refuses what is no request", async () => {
  await assertConfigRejection(
    inspectRequest(Uint8Array.of(0x30, 0)),
    "Cannot read certificate request: it has no signature",
  );
});

Deno.test("inspectRequest accepts no changed request, and throws nothing but ConfigError", async () => {
  const request = await createRequest({
    key: await generateKey(),
    organizations: ["os:reader"],
    subjectAltNames: { ips: ["10.0.0.1"] },
  });
  const flip = fc.integer({ min: 1, max: 255 });
  await fc.assert(
    fc.asyncProperty(fc.nat(), flip, async (at, bits) => {
      const bytes = request.slice();
      const index = at % bytes.length;
      bytes[index] = (bytes[index] ?? 0) ^ bits;
      const error = await inspectRequest(bytes).then(
        () => undefined,
        (error) => error,
      );
      assert.ok(error instanceof ConfigError, String(error));
    }),
    { numRuns: 300 },
  );
});

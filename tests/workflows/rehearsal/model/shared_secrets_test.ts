import assert from "node:assert/strict";
import { inspectCertificate } from "../../../../pki/inspect.ts";
import { decodePemAs } from "../../../../pki/pem.ts";
import {
  sharedClient,
  sharedSecrets,
} from "../../../../workflows/rehearsal/model/shared_secrets.ts";

Deno.test("secrets and clients are made once", async () => {
  assert.equal(await sharedSecrets(), await sharedSecrets());
  const [admin, again, reader] = await Promise.all([
    sharedClient(["os:admin"]),
    sharedClient(["os:admin"]),
    sharedClient(["os:reader"]),
  ]);
  assert.equal(admin, again);
  assert.notEqual(admin, reader);
  const [der] = decodePemAs("CERTIFICATE", reader.crt);
  const { subject, notBefore, notAfter } = inspectCertificate(der);
  assert.deepEqual(subject.organizations, ["os:reader"]);
  assert.equal(notBefore.toISOString(), "2026-01-01T00:00:00.000Z");
  assert.equal(notAfter.toISOString(), "2034-12-30T00:00:00.000Z");
});

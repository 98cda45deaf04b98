import assert from "node:assert/strict";
import { createCa } from "../../pki/ca.ts";
import {
  caFindings,
  type CertificateFinding,
  expiryWarningMs,
  usageFindings,
  validityFindings,
} from "../../pki/findings.ts";
import {
  type CertificateFacts,
  inspectCertificate,
} from "../../pki/inspect.ts";
import { client, type ClientChange, inDays, makeCa, now } from "./_identity.ts";

async function makeFacts(change: ClientChange = {}): Promise<CertificateFacts> {
  return inspectCertificate((await client(change)).der);
}

const usual = await makeFacts();

function validity(
  notBefore: Date,
  notAfter: Date,
): readonly CertificateFinding[] {
  return validityFindings({ ...usual, notBefore, notAfter }, now);
}

Deno.test("validityFindings of an expired certificate name date and next step", () => {
  assert.deepEqual(validity(inDays(-10), inDays(-1)), [{
    cause: "client-expired",
    message: "Client certificate expired on 2030-05-31T12:00:00Z",
    hint:
      "Renew it from a secrets bundle or a control plane configuration with: osctl config renew",
    severity: "error",
  }]);
});

Deno.test("validityFindings of a future certificate suspect the clock", () => {
  assert.deepEqual(validity(inDays(1), inDays(100)), [{
    cause: "client-not-yet-valid",
    message: "Client certificate is valid only from 2030-06-02T12:00:00Z",
    hint: "Check the clock of this machine; it says 2030-06-01T12:00:00Z",
    severity: "error",
  }]);
});

Deno.test("validityFindings warn with date and next step from 30 days before the end", () => {
  assert.deepEqual(validity(inDays(-10), inDays(30)), [{
    cause: "client-expired",
    message:
      "Client certificate expires on 2030-07-01T12:00:00Z, in 30 days; renew it with: osctl config renew",
    hint: "A node renews it only until it expires",
    severity: "warning",
  }]);
  const later = new Date(now.getTime() + expiryWarningMs + 1);
  assert.deepEqual(validity(inDays(-10), later), []);
});

for (
  const [hours, left] of [
    [48, "2 days"],
    [47.9, "47 hours"],
    [1.5, "1 hour"],
    [0.5, "0 hours"],
  ] as const
) {
  Deno.test(`validityFindings say "${left}" of ${hours} hours`, () => {
    const end = new Date(now.getTime() + hours * 3_600_000);
    const [finding] = validity(inDays(-10), end);
    assert.ok(finding?.message.includes(`, in ${left};`));
  });
}

Deno.test("usageFindings refuse a certificate for other uses", () => {
  const [finding, ...rest] = usageFindings({
    ...usual,
    extendedKeyUsage: ["serverAuth", "1.2.3"],
  });
  assert.deepEqual(rest, []);
  assert.deepEqual(finding, {
    cause: "client-no-client-auth",
    message:
      "Client certificate is not valid for client authentication: its extended key usage allows only serverAuth, 1.2.3",
    hint: "Get a new client certificate with: osctl config new",
    severity: "error",
  });
});

Deno.test("usageFindings refuse an empty list of uses", () => {
  const [finding] = usageFindings({ ...usual, extendedKeyUsage: [] });
  assert.equal(finding?.severity, "error");
});

Deno.test("usageFindings warn of key usage without extended key usage", () => {
  assert.deepEqual(usageFindings({ ...usual, extendedKeyUsage: undefined }), [{
    cause: "client-no-client-auth",
    message:
      "Client certificate is not marked for client authentication: it has key usage digitalSignature, but no extended key usage",
    hint: "Get a new client certificate with: osctl config new",
    severity: "warning",
  }]);
});

Deno.test("usageFindings accept clients, any use, and no limits at all", () => {
  assert.deepEqual(usageFindings(usual), []);
  assert.deepEqual(
    usageFindings({ ...usual, extendedKeyUsage: ["2.5.29.37.0"] }),
    [],
  );
  assert.deepEqual(
    usageFindings({
      ...usual,
      extendedKeyUsage: undefined,
      keyUsage: undefined,
    }),
    [],
  );
});

Deno.test("caFindings warn of a certificate another CA signed", async () => {
  const other = await createCa({ organizations: ["etcd"] });
  const given = [inspectCertificate(other.certificate)];
  assert.deepEqual(await caFindings(usual, given, now), [{
    cause: "client-wrong-ca",
    message:
      "Client certificate, signed by O=talos, is not signed by the key of the context's CA O=etcd",
    hint: "Use the CA and the client certificate of the same cluster",
    severity: "warning",
  }]);
});

Deno.test("caFindings tell CAs of the same name apart", async () => {
  const given = [inspectCertificate((await makeCa()).certificate)];
  const [finding] = await caFindings(usual, given, now);
  assert.equal(finding?.cause, "client-wrong-ca");
});

Deno.test("caFindings say so when a signature cannot be checked", async () => {
  const ca = await makeCa();
  const leaf = await makeFacts({ ca });
  const signature = { ...leaf.signature, algorithm: "1.3.101.113" };
  const given = [inspectCertificate(ca.certificate)];
  assert.deepEqual(
    await caFindings({ ...leaf, signature }, given, now),
    [{
      cause: "unknown",
      message:
        "Cannot tell whether the CA signed the client certificate: Cannot check a signature: algorithm 1.3.101.113 is not supported",
      hint: "If nodes reject it, get a new one with: osctl config new",
      severity: "warning",
    }],
  );
});

for (
  const [what, days, expected] of [
    ["expired", { to: -1 }, [{
      cause: "ca-expired",
      message: "Certificate authority expired on 2030-05-31T12:00:00Z",
      hint:
        "Check the clock of this machine; it says 2030-06-01T12:00:00Z; if it is right, the cluster needs a new CA",
      severity: "error",
    }]],
    ["not valid yet", { from: 2 }, [{
      cause: "client-not-yet-valid",
      message: "Certificate authority is valid only from 2030-06-03T12:00:00Z",
      hint: "Check the clock of this machine; it says 2030-06-01T12:00:00Z",
      severity: "error",
    }]],
    ["about to expire", { to: 3 }, [{
      cause: "ca-expired",
      message:
        "Certificate authority expires on 2030-06-04T12:00:00Z, in 3 days; rotate it with: osctl rotate-ca",
      hint: "Once it has expired, nodes reject every client",
      severity: "warning",
    }]],
    ["good", {}, []],
  ] as const
) {
  Deno.test(`caFindings of a CA that is ${what}`, async () => {
    const ca = await makeCa(days);
    const leaf = await makeFacts({ ca });
    const given = [inspectCertificate(ca.certificate)];
    assert.deepEqual(await caFindings(leaf, given, now), expected);
  });
}

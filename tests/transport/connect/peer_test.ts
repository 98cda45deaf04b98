import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { createCa } from "../../../pki/ca.ts";
import { inspectCertificate } from "../../../pki/inspect.ts";
import { judgePeer } from "../../../transport/connect/peer.ts";
import {
  clientPair,
  newCa,
  type PairSpec,
  serverPair,
  toCaPem,
} from "../_certificates.ts";

const cluster = await newCa();
const old = await createCa({
  organizations: ["talos"],
  notBefore: new Date("2010-01-01"),
  notAfter: new Date("2020-01-01"),
});
const stranger = await newCa("other");

const validity = {
  notBefore: new Date("2025-01-01"),
  notAfter: new Date("2025-02-01"),
};

const host = "10.0.0.1";

async function verdict(
  signer: typeof cluster,
  spec: PairSpec,
  options: { readonly ca?: string | undefined; readonly now?: string } = {},
) {
  const { crt } = await serverPair(signer, {
    ips: [host],
    ...validity,
    ...spec,
  });
  return judgePeer(new X509Certificate(crt), {
    ca: "ca" in options ? options.ca : toCaPem(cluster),
    host,
    now: new Date(options.now ?? "2025-01-15"),
  });
}

Deno.test("judgePeer finds the signer among several CAs", async () => {
  const ca = toCaPem(stranger) + toCaPem(cluster);
  const { reason } = await verdict(cluster, { ips: ["10.0.0.2"] }, { ca });
  assert.equal(reason, "wrong-name");
});

Deno.test("judgePeer tells a CA of the same name apart by its key", async () => {
  const twin = await newCa();
  const { reason, seen } = await verdict(twin, {});
  assert.equal(reason, "wrong-ca");
  const id = (ca: typeof twin) =>
    inspectCertificate(ca.certificate).subjectKeyId?.slice(0, 8);
  assert.match(`${id(twin)} ${id(cluster)}`, /^[0-9a-f]{8} [0-9a-f]{8}$/);
  assert.equal(
    seen,
    `its certificate is signed by "O=talos" (key ID ${
      id(twin)
    }), which is not trusted here; trusted: "O=talos" (key ID ${id(cluster)})`,
  );
});

Deno.test("judgePeer tells a certificate signed by itself", () => {
  const certificate = new X509Certificate(toCaPem(stranger));
  const { reason, seen } = judgePeer(certificate, {
    ca: toCaPem(cluster),
    host,
    now: new Date(),
  });
  assert.equal(reason, "wrong-ca");
  assert.equal(seen, "its certificate is self-signed");
});

Deno.test("judgePeer looks at the signer before the clock", async () => {
  const late = { now: "2030-01-01" };
  assert.equal((await verdict(stranger, {}, late)).reason, "wrong-ca");
});

Deno.test("judgePeer tells that the CA expired", async () => {
  const { reason, seen } = await verdict(old, {}, { ca: toCaPem(old) });
  assert.equal(reason, "ca-expired");
  assert.equal(seen, "its CA expired on 2020-01-01T00:00:00Z");
});

Deno.test("judgePeer tells when the certificate expired", async () => {
  const { reason, seen, hint } = await verdict(cluster, {}, {
    now: "2025-02-02",
  });
  assert.equal(reason, "server-expired");
  assert.equal(seen, "its certificate expired on 2025-02-01T00:00:00Z");
  assert.equal(hint, "Check the clock of this machine and that of the node");
});

Deno.test("judgePeer tells when the certificate becomes valid", async () => {
  const { reason, seen } = await verdict(cluster, {}, { now: "2024-12-31" });
  assert.equal(reason, "server-not-yet-valid");
  assert.equal(
    seen,
    "its certificate is not valid before 2025-01-01T00:00:00Z",
  );
});

Deno.test("judgePeer names what the certificate is for", async () => {
  const { reason, seen, hint } = await verdict(cluster, {
    ips: ["10.0.0.2", "fd00::2"],
    dns: ["node2"],
  });
  assert.equal(reason, "wrong-name");
  assert.equal(
    seen,
    "its certificate is for node2, 10.0.0.2, fd00::2",
  );
  assert.equal(
    hint,
    'Use one of these as endpoint, or add "10.0.0.1" to the node\'s certificate',
  );
});

Deno.test("judgePeer knows the certificate of maintenance mode, whatever the clock says", async () => {
  const { reason } = await verdict(stranger, {
    commonName: "maintenance-service.talos.dev",
  }, { now: "2030-01-01" });
  assert.equal(reason, "maintenance");
});

Deno.test("judgePeer is not sure about a certificate in which nothing is wrong", async () => {
  const { crt } = await clientPair(cluster, { ips: [host], ...validity });
  const { reason } = judgePeer(new X509Certificate(crt), {
    ca: toCaPem(cluster),
    host,
    now: new Date("2025-01-15"),
  });
  assert.equal(reason, "unknown");
});

Deno.test("judgePeer without a CA of its own looks at the clock first", async () => {
  const options = { ca: undefined };
  assert.equal((await verdict(stranger, {}, options)).reason, "wrong-ca");
  assert.equal(
    (await verdict(stranger, {}, { ...options, now: "2030-01-01" })).reason,
    "server-expired",
  );
});

import assert from "node:assert/strict";
import {
  type CertificateAuthority,
  issueCertificate,
} from "../../../pki/certificate.ts";
import { exportPublicSpki, generateKey } from "../../../pki/key.ts";
import { encodePem, pemLabel } from "../../../pki/pem.ts";
import type { StageRow } from "../../../commands/_doctor/row.ts";
import {
  matchesHost,
  serverCertificateRows,
} from "../../../commands/_doctor/server_certificate.ts";
import { makeCa, target } from "./_endpoint.ts";

const spring = new Date("2026-03-01T00:00:00Z");
const autumn = new Date("2026-09-01T00:00:00Z");
const cluster = await makeCa();
const old = await makeCa("talos", new Date("2026-05-01T00:00:00Z"));

function pem(...cas: readonly CertificateAuthority[]): string {
  return cas.map(({ certificate }) =>
    encodePem(pemLabel.certificate, certificate)
  ).join("");
}

async function certificate(
  spec: Partial<Parameters<typeof issueCertificate>[0]> = {},
): Promise<Uint8Array> {
  return await issueCertificate({
    ca: cluster,
    publicKey: await exportPublicSpki(await generateKey()),
    subject: { organizations: [], commonName: "node1" },
    subjectAltNames: { dns: ["node1"], ips: ["127.0.0.1"] },
    extendedKeyUsage: ["serverAuth"],
    notBefore: spring,
    notAfter: autumn,
    ...spec,
  });
}

const good = {
  mode: "the node has a configuration",
  ca: "signed by the context's CA O=talos",
  validity: "valid until 2026-09-01T00:00:00Z",
  usage: "is for servers",
  name: 'is for "127.0.0.1"',
};

/** Rows that differ from those of a good certificate. */
function differences(rows: readonly StageRow[]): readonly StageRow[] {
  assert.deepEqual(rows.map(({ stage }) => stage), Object.keys(good));
  return rows.filter(({ stage, detail }) =>
    good[stage as keyof typeof good] !== detail
  );
}

const faults: readonly {
  readonly name: string;
  readonly der: () => Promise<Uint8Array>;
  readonly ca?: () => Promise<string>;
  readonly stage: string;
  readonly cause: string;
  readonly detail: string;
}[] = [{
  name: "another CA",
  der: () => certificate(),
  ca: async () => pem(await makeCa("other")),
  stage: "ca",
  cause: "wrong-ca",
  detail: "signed by O=talos, not by the context's CA O=other",
}, {
  name: "another CA of the same name",
  der: () => certificate(),
  ca: async () => pem(await makeCa()),
  stage: "ca",
  cause: "wrong-ca",
  detail:
    "signed by another CA with the same name as the context's CA, O=talos",
}, {
  name: "a CA that expired",
  der: () => certificate({ ca: old }),
  ca: () => Promise.resolve(pem(old)),
  stage: "ca",
  cause: "ca-expired",
  detail: "the CA O=talos expired on 2026-05-01T00:00:00Z",
}, {
  name: "a CA that is not text of a certificate",
  der: () => certificate(),
  ca: () =>
    Promise.resolve(
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    ),
  stage: "ca",
  cause: "client-malformed",
  detail: "",
}, {
  name: "a certificate that expired",
  der: () => certificate({ notAfter: new Date("2026-04-01T00:00:00Z") }),
  stage: "validity",
  cause: "server-expired",
  detail: "expired on 2026-04-01T00:00:00Z",
}, {
  name: "a certificate from the future",
  der: () => certificate({ notBefore: new Date("2026-07-01T00:00:00Z") }),
  stage: "validity",
  cause: "server-not-yet-valid",
  detail: "valid only from 2026-07-01T00:00:00Z",
}, {
  name: "a certificate for clients",
  der: () => certificate({ extendedKeyUsage: ["clientAuth"] }),
  stage: "usage",
  cause: "unknown",
  detail: "is not for servers: its extended key usage allows only clientAuth",
}, {
  name: "a certificate for other hosts",
  der: () =>
    certificate({ subjectAltNames: { dns: ["node1"], ips: ["10.0.0.1"] } }),
  stage: "name",
  cause: "wrong-name",
  detail: 'is for node1, 10.0.0.1, not for "127.0.0.1"',
}];

for (const { name, der, ca, ...expected } of faults) {
  Deno.test(`serverCertificateRows finds ${name}`, async () => {
    const rows = await serverCertificateRows(await der(), {
      target,
      ca: ca ? await ca() : pem(cluster),
    });
    const [row, ...others] = differences(rows);
    assert.deepEqual(others, []);
    assert.ok(row?.result === "failed");
    assert.equal(row.stage, expected.stage);
    assert.equal(row.cause, expected.cause);
    if (expected.detail) assert.equal(row.detail, expected.detail);
    assert.notEqual(row.next, "");
  });
}

const waiting = () =>
  certificate({
    subject: { organizations: [], commonName: "maintenance-service.talos.dev" },
  });

Deno.test("serverCertificateRows tells that a node waits for its configuration", async () => {
  const rows = await serverCertificateRows(await waiting(), {
    target,
    ca: pem(cluster),
  });
  assert.deepEqual(rows, [{
    stage: "mode",
    result: "failed",
    detail: "the node is in maintenance mode: it has no configuration yet",
    cause: "maintenance",
    next:
      "Apply a configuration to the node with: osctl apply-config --insecure --nodes 127.0.0.1 --file FILE",
  }]);
});

Deno.test("serverCertificateRows does not stumble over a broken certificate", async () => {
  const rows = await serverCertificateRows(new Uint8Array([0x30, 0x01]), {
    target,
    ca: undefined,
  });
  assert.deepEqual(rows.map(({ stage, result }) => [stage, result]), [
    ["ca", "failed"],
  ]);
});

function matches(dns: string, host: string): boolean {
  return matchesHost({ subjectAltNames: { dns: [dns], ips: [] } }, host);
}

for (
  const [pattern, host] of [
    ["n*.example.org", "node.example.org"],
    ["*", "node"],
    ["*.*.org", "a.b.org"],
    ["a.*.org", "a.b.org"],
    ["*.example.org", ".example.org"],
    ["*.example.org", "*.example.org"],
    ["node.example", "node.example.org"],
    ["node.example.org", "node.example"],
    ["*.example", "node.example.org"],
    ["*.0.0.1", "10.0.0.1"],
    ["10.0.0.1", "10.0.0.1"],
    ["exa mple.org", "exa mple.org"],
    ["", ""],
  ] as const
) {
  Deno.test(`matchesHost does not let "${pattern}" stand for "${host}"`, () => {
    assert.equal(matches(pattern, host), false);
  });
}

Deno.test("matchesHost takes a wildcard above a top-level domain", () => {
  assert.equal(matches("*.lan", "node.lan"), true);
});

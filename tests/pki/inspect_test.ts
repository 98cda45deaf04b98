import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeDer, encodeSequence } from "../../pki/der_encode.ts";
import { inspectCertificate } from "../../pki/inspect.ts";
import { decodePemAs } from "../../pki/pem.ts";
import { growth, proportional } from "../_scaling.ts";
import { adminPem, caPem, rsaPem, serverPem } from "./_certificates.ts";
import { assertConfigError, onlyConfigErrors } from "./_errors.ts";

const all = [caPem, adminPem, serverPem, rsaPem].map(pemToDer);

function pemToDer(pem: string): Uint8Array {
  return decodePemAs("CERTIFICATE", pem)[0];
}

function swap(pem: string, from: string, to: string): Uint8Array {
  const hex = pemToDer(pem).toHex();
  assert.equal(from.length, to.length);
  assert.ok(hex.includes(from));
  return Uint8Array.fromHex(hex.replace(from, to));
}

for (
  const [what, der, message] of [
    ["an empty input", new Uint8Array(), "data is truncated"],
    ["PEM text", new TextEncoder().encode(caPem), "it has trailing bytes"],
    [
      "half a certificate",
      pemToDer(caPem).subarray(0, 100),
      "data is truncated",
    ],
    [
      "a certificate in a longer input",
      Uint8Array.of(...pemToDer(caPem), 0),
      "it has trailing bytes",
    ],
    [
      "a structure without a signature",
      Uint8Array.fromHex("30023000"),
      "it has no signature",
    ],
    [
      "version 4",
      swap(caPem, "a003020102", "a003020103"),
      "version 4 is unknown",
    ],
    [
      "a negative serial number",
      swap(caPem, "021100fffe", "021180fffe"),
      "a number is negative",
    ],
    [
      "month 13",
      swap(caPem, makeHex("261120205936Z"), makeHex("261320205936Z")),
      'invalid time "261320205936Z"',
    ],
    [
      "an inner algorithm that differs",
      swap(caPem, "f1f0300506032b6570", "f1f0300506032b6571"),
      "it names two signature algorithms",
    ],
  ] as const
) {
  Deno.test(`inspectCertificate refuses ${what}`, () => {
    assertConfigError(
      () => inspectCertificate(der),
      `Cannot read certificate: ${message}`,
    );
  });
}

Deno.test("inspectCertificate throws nothing but ConfigError on arbitrary bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      onlyConfigErrors(() => inspectCertificate(bytes));
    }),
    { numRuns: 500 },
  );
});

Deno.test("inspectCertificate throws nothing but ConfigError on changed certificates", () => {
  const changes = fc.array(
    fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) }),
    { minLength: 1, maxLength: 4 },
  );
  const cut = fc.nat({ max: 20 });
  fc.assert(
    fc.property(fc.constantFrom(...all), changes, cut, (der, edits, less) => {
      const bytes = der.slice(0, der.length - less);
      for (const { at, byte } of edits) bytes[at % bytes.length] = byte;
      onlyConfigErrors(() => inspectCertificate(bytes));
    }),
    { numRuns: 2000 },
  );
});

/** As many parts, extensions and names as given, then as deep as goes. */
function worst(names: number): Uint8Array {
  const organization = Uint8Array.fromHex("310a3008060355040a0c0161");
  const name = encodeSequence(...Array(names).fill(organization));
  const validity = Uint8Array.fromHex(
    `301e170d${makeHex("200101000000Z")}170d${makeHex("210101000000Z")}`,
  );
  const algorithm = Uint8Array.fromHex("300506032b6570");
  const serial = encodeDer(0x02, new Uint8Array(20 * names).fill(1));
  const key = Uint8Array.fromHex("302a300506032b6570032100" + "11".repeat(32));
  return encodeSequence(
    encodeSequence(serial, algorithm, name, validity, name, key),
    algorithm,
    encodeDer(0x03, new Uint8Array(65)),
  );
}

Deno.test("inspectCertificate reads the worst 256 kB in proportion to what is in them", async () => {
  const ders = new Map([1024, 4096].map((names) => [names, worst(names)]));
  const grown = await growth((names) => {
    const { subject } = inspectCertificate(ders.get(names)!);
    assert.equal(subject.organizations.length, names);
  }, 1024);
  assert.ok(grown < proportional, `${grown}`);
});

function makeHex(text: string): string {
  return new TextEncoder().encode(text).toHex();
}

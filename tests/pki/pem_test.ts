import assert from "node:assert/strict";
import fc from "fast-check";
import { decodePem } from "../../pki/pem.ts";
import { assertConfigError, onlyConfigErrors } from "./_errors.ts";

const block = "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n";

for (
  const [what, text] of [
    ["text around blocks", `subject=O = x\n${block}trailer\n`],
    ["a byte order mark", `\uFEFF${block}`],
    ["Windows line ends", block.replaceAll("\n", "\r\n")],
    ["indented lines", block.replaceAll(/^/gm, "    ")],
    ["a missing last line end", block.trimEnd()],
    ["bytes", new TextEncoder().encode(block)],
  ] as const
) {
  Deno.test(`decodePem accepts ${what}`, () => {
    assert.deepEqual(decodePem(text), [
      { label: "CERTIFICATE", der: Uint8Array.of(1, 2, 3) },
    ]);
  });
}

for (
  const [what, text, message] of [
    ["an empty text", "", 'there is no "-----BEGIN" line'],
    ["base64 alone", "AQID", 'there is no "-----BEGIN" line'],
    [
      "a text cut off in a block",
      block.slice(0, 40),
      '"BEGIN CERTIFICATE" has no "END CERTIFICATE"',
    ],
    [
      "a block inside another",
      `-----BEGIN A-----\n${block}`,
      '"BEGIN A" has no "END A"',
    ],
    [
      "an end without a beginning",
      "-----END A-----\n",
      '"END A" has no "BEGIN A"',
    ],
    [
      "an end of another block",
      block.replace("END CERTIFICATE", "END KEY"),
      '"END KEY" has no "BEGIN KEY"',
    ],
    [
      "a block without content",
      block.replace("AQID\n", ""),
      '"CERTIFICATE" is empty',
    ],
    [
      "characters outside of base64",
      block.replace("AQID", "AQ*D"),
      '"CERTIFICATE" is not base64',
    ],
    [
      "base64 without padding",
      block.replace("AQID", "AQI"),
      '"CERTIFICATE" is not base64',
    ],
    [
      "an encrypted key",
      block.replace("AQID", "Proc-Type: 4,ENCRYPTED\nAQID"),
      '"CERTIFICATE" is encrypted',
    ],
    [
      "more than 1 MiB",
      block + " ".repeat(1 << 20),
      "text is longer than 1 MiB",
    ],
  ] as const
) {
  Deno.test(`decodePem refuses ${what}`, () => {
    assertConfigError(() => decodePem(text), `Cannot read PEM: ${message}`);
  });
}

Deno.test("decodePem throws nothing but ConfigError, whatever it is given", () => {
  const line = fc.oneof(
    fc.constantFrom(
      ...block.split("\n"),
      "-----BEGIN X-----",
      "-----END X-----",
    ),
    fc.string({ unit: "binary" }),
  );
  fc.assert(fc.property(
    fc.oneof(
      fc.array(line, { maxLength: 8 }).map((lines) => lines.join("\n")),
      fc.uint8Array(),
    ),
    (text) => onlyConfigErrors(() => decodePem(text)),
  ));
});

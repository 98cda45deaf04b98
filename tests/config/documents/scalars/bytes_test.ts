import assert from "node:assert/strict";
import {
  base64,
  secretBase64,
} from "../../../../config/documents/scalars/bytes.ts";
import { assertReadings, assertRefused, reading } from "../_readings.ts";

const bytes = [
  ["", '""'],
  ["QQ==", '"QQ=="'],
  ["QUI=", '"QUI="'],
  ["QUJD", '"QUJD"'],
  ["++//", '"++//"'],
  ["1234", '"1234"'],
  // Bits that no byte takes up get lost.
  ["QR==", '"QQ=="'],
  ["QUJ=", '"QUI="'],
  ["Q\r\nQ==\n", '"QQ=="'],
  ["QQ=\n=", '"QQ=="'],
] as const;

const wrong = [
  ...["Q", "QQ", "QQ=", "QQ===", "Q===", "QQ==QQ==", "=", "====", "QQ-_"],
  ...["QQ== ", " QQ==", "Q Q==", "Q\tQ==", "*****", "****** "],
];

Deno.test("bytes are written as padded base64 on one line", () => {
  assertReadings(base64, bytes);
  assertReadings(secretBase64, bytes);
});

Deno.test("what is not base64 is refused without being repeated", () => {
  assertRefused(base64, [...wrong, "******"]);
  assertRefused(secretBase64, wrong);
  assert.equal(
    reading(secretBase64, "c2VjcmV0IQ"),
    "fault: This is not a base64 text",
  );
});

Deno.test("asterisks stand for a secret that was taken out", () => {
  assertReadings(secretBase64, [["******", '"******"']]);
});

Deno.test("megabytes of base64 are read", () => {
  const text = "QUJD".repeat(1e6);
  assert.equal(reading(base64, `"${text}"`), `"${text}"`);
  assertRefused(base64, [`"${text}Q"`]);
});

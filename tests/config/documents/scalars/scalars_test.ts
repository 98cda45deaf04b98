import assert from "node:assert/strict";
import {
  base64,
  choice,
  secretBase64,
  words,
} from "../../../../config/documents/scalars/scalars.ts";
import {
  assertKept,
  assertReadings,
  assertRefused,
  fits,
  reading,
} from "../_parse_cases.ts";

const modes = choice(["802.1q", "802.1ad"], { insensitive: true });
const policies = choice(["none", "active", "follow"]);

Deno.test("words may have to be written exactly", () => {
  assertKept(policies, ["none", "active", "follow"]);
  assertRefused(policies, ["None", "ACTIVE", ""]);
  assert.equal(
    reading(policies, "Active"),
    'fault: "Active" is not a known value',
  );
  assert.equal(policies.expected, "one of none, active, follow");
});

Deno.test("the schema of a choice knows numbers and cases", () => {
  assert.deepEqual(policies.json, { enum: ["none", "active", "follow"] });
  assert.deepEqual(choice(["1", "main"]).json, { enum: ["1", "main", 1] });
  assert.deepEqual(modes.json, {
    anyOf: [
      { enum: ["802.1q", "802.1ad"] },
      { type: "string", pattern: "^(802\\.1[Qq]|802\\.1[Aa][Dd])$" },
    ],
  });
  assert.ok(fits(choice(["layer3+4"], { insensitive: true }), "LAYER3+4"));
  assert.ok(fits(choice(["balance-rr"], { insensitive: true }), "Balance-RR"));
  assert.deepEqual(choice(["1", "2"], { insensitive: true }).json, {
    enum: ["1", "2", 1, 2],
  });
});

Deno.test("words that rules look at are texts", () => {
  assertKept(words(["ssd"]), ["ssd", "SSD", "anything"]);
  assert.deepEqual(words(["ssd"]).values, ["ssd"]);
});

const wrong = [
  ...["Q", "QQ", "QQ=", "QQ===", "Q===", "QQ==QQ==", "=", "====", "QQ-_"],
  ...["QQ== ", " QQ==", "Q Q==", "Q\tQ==", "*****", "****** "],
];

Deno.test("base64: refuses other texts without repeating them", () => {
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

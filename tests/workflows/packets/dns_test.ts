import assert from "node:assert/strict";
import { dnsText } from "../../../workflows/packets/dns.ts";

const question = "07657861" + "6d706c6503636f6d00" + "00010001";

for (
  const [hex, text] of [
    [`000701000001000000000000${question}`, "query 7 A? example.com"],
    [
      `000781800001000200000000${question}`,
      "answer 7 A example.com: 2 records",
    ],
    [`000781830001000000000000${question}`, "answer 7 A example.com: NXDOMAIN"],
    ["000781800000000100000000", "answer 7: 1 record"],
    ["0007010000010000000000000000ff0001", "query 7 ANY? ."],
    ["0007010000010000000000000141", "query 7 ?"],
    ["00070100", undefined],
  ] as const
) {
  Deno.test(`a message of DNS is ${text}`, () => {
    assert.equal(dnsText(Uint8Array.fromHex(hex)), text);
  });
}

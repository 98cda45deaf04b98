import assert from "node:assert/strict";
import { dnsText, packetLine } from "../../../commands/_pcap/decode.ts";

const [mac1, mac2] = ["525400aabbcc", "525400ddeeff"];
const ip4 = (protocol: string, body: string, fragment = "4000") => {
  const total = (20 + body.length / 2).toString(16).padStart(4, "0");
  return `4500${total}0001${fragment}40${protocol}00000a0000020a000003${body}`;
};
const ip6 = (next: string, body: string) => {
  const total = (body.length / 2).toString(16).padStart(4, "0");
  return `60000000${total}${next}40fd000000000000000000000000000002${"20010db8000000010000000000000001"}${body}`;
};
const frame = (type: string, body: string) => `${mac1}${mac2}${type}${body}`;
const dns = "12340100000100000000000007657861" + "6d706c6503636f6d00001c0001";
const udpDns = `d4310035${
  (8 + dns.length / 2).toString(16).padStart(4, "0")
}0000${dns}`;

for (
  const [hex, line] of [
    [
      frame(
        "0806",
        `0001080006040001${mac2}0a000002000000000000${"0a000003"}`,
      ),
      "ARP who has 10.0.0.3? tell 10.0.0.2",
    ],
    [
      frame("0806", `0001080006040002${mac2}0a000002${mac1}0a000003`),
      "ARP 10.0.0.2 is at 52:54:00:dd:ee:ff",
    ],
    [
      frame("0800", ip4("06", "01bb9cbb00000001000000025012ffff00000000aabb")),
      "IP 10.0.0.2.443 > 10.0.0.3.40123: TCP [SYN ACK] seq 1 ack 2 win 65535 length 2",
    ],
    [
      frame("0800", ip4("06", "01bb9cbb")),
      "IP 10.0.0.2 > 10.0.0.3: protocol 6 [truncated]",
    ],
    [
      frame("0800", ip4("11", udpDns)),
      "IP 10.0.0.2.54321 > 10.0.0.3.53: UDP DNS query 4660 AAAA? example.com length 29",
    ],
    [
      frame("0800", ip4("01", "0303000000000000")),
      "IP 10.0.0.2 > 10.0.0.3: ICMP port unreachable length 8",
    ],
    [
      frame("0800", ip4("01", "0800000000070009")),
      "IP 10.0.0.2 > 10.0.0.3: ICMP echo request id 7 seq 9 length 8",
    ],
    [
      frame("0800", ip4("11", "aabbccdd", "0003")),
      "IP 10.0.0.2 > 10.0.0.3: fragment at 24 length 4",
    ],
    [
      frame("0800", ip4("84", "aabbccdd")),
      "IP 10.0.0.2 > 10.0.0.3: SCTP length 4",
    ],
    [
      frame("86dd", ip6("3a", `8700000000000000${"0".repeat(31)}1`)),
      "IP6 fd00::2 > 2001:db8:0:1::1: ICMP6 neighbor solicitation of ::1 length 24",
    ],
    [
      frame(
        "86dd",
        ip6(
          "00",
          `0600000000000000${"01bb9cbb000000010000000050010001"}00000000`,
        ),
      ),
      "IP6 fd00::2.443 > 2001:db8:0:1::1.40123: TCP [FIN] seq 1 win 1 length 0",
    ],
    [
      `${mac1}${mac2}81000064${"0806"}0001080006040002${mac2}0a000002${mac1}0a000003`,
      "vlan 100 ARP 10.0.0.2 is at 52:54:00:dd:ee:ff",
    ],
    [
      frame("88cc", "aabb"),
      "52:54:00:dd:ee:ff > 52:54:00:aa:bb:cc: ethertype 0x88cc length 2",
    ],
    ["aabb", "[truncated, 2 bytes]"],
  ] as const
) {
  Deno.test(`a packet is shown as ${line}`, () => {
    const bytes = Uint8Array.fromHex(hex);
    const timeUs = Date.UTC(2026, 0, 2, 3, 4, 5) * 1000 + 1;
    const packet = { timeUs, bytes, length: bytes.length };
    assert.equal(packetLine(packet, "ethernet"), `03:04:05.000001 ${line}`);
  });
}

Deno.test("a packet without Ethernet is one of IP, and says when it was cut", () => {
  const bytes = Uint8Array.fromHex(ip4("84", "aabbccdd"));
  assert.equal(
    packetLine({ timeUs: 0, bytes, length: 1500 }, "raw"),
    "00:00:00.000000 IP 10.0.0.2 > 10.0.0.3: SCTP length 4 (24 of 1500 bytes captured)",
  );
});

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

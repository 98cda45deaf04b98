import assert from "node:assert/strict";
import { packetRound } from "../../../simulator/node/packets.ts";
import { packetLine } from "../../../commands/_pcap/decode.ts";
import { bootedNodes } from "../_node.ts";

/** Sum of the 16-bit words of the IPv4 header; right when all bits are set. */
function headerSum(packet: Uint8Array): number {
  let sum = 0;
  for (let at = 14; at < 34; at += 2) {
    sum += packet[at]! << 8 | packet[at + 1]!;
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return sum;
}

Deno.test("packets of a node are those of its neighbours, with right checksums", async () => {
  const [node] = await bootedNodes({ workers: 1 });
  const packets = packetRound(node!, 0);
  const lines = packets.map((bytes) =>
    packetLine({ timeUs: 0, bytes, length: bytes.length }, "ethernet").slice(16)
  );
  assert.deepEqual(lines.slice(0, 3), [
    "ARP who has 10.5.0.3? tell 10.5.0.2",
    `ARP 10.5.0.3 is at ${lines[1]!.split(" ").at(-1)}`,
    "IP 10.5.0.2 > 10.5.0.1: ICMP echo request id 4660 seq 0 length 16",
  ]);
  assert.ok(lines.some((line) => line.includes("TCP [SYN ACK]")));
  for (
    const packet of packets.filter((one) => one[12] === 8 && one[13] === 0)
  ) {
    assert.equal(headerSum(packet), 0xffff);
  }
});

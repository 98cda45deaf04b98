import assert from "node:assert/strict";
import {
  formatMac,
  replyTo,
} from "../../../../provisioners/qemu/servers/dhcp4.ts";

const leases = [{
  mac: "02:00:00:00:00:02",
  mtu: 1500,
  ipv4: {
    address: "10.5.0.2",
    prefix: 20,
    gateway: "10.5.0.1",
    nameservers: [],
  },
}];

/** A request of the known machine with these options. */
function requestWith(...options: number[]): Uint8Array {
  const packet = new Uint8Array(300);
  packet.set([1, 1, 6, 0, 1, 2, 3, 4]);
  packet.set([2, 0, 0, 0, 0, 2], 28);
  packet.set([99, 130, 83, 99, ...options, 255], 236);
  return packet;
}

/** Options of a reply, behind the cookie. */
function optionsIn(packet: Uint8Array | undefined): number[] {
  return [...packet?.subarray(240, 280) ?? []];
}

Deno.test("replyTo offers a machine its address, with its transaction", () => {
  const offer = replyTo(requestWith(53, 1, 1), "10.5.0.1", leases);
  assert.deepEqual([...offer?.subarray(0, 8) ?? []], [2, 1, 6, 0, 1, 2, 3, 4]);
  assert.deepEqual([...offer?.subarray(16, 24) ?? []], [
    10,
    5,
    0,
    2,
    10,
    5,
    0,
    1,
  ]);
  assert.deepEqual(optionsIn(offer).slice(0, 28), [
    ...[53, 1, 2],
    ...[54, 4, 10, 5, 0, 1],
    ...[1, 4, 255, 255, 240, 0],
    ...[3, 4, 10, 5, 0, 1],
    ...[51, 4, 0, 0, 1, 44],
    255,
  ]);
});

Deno.test("replyTo refuses another address, and leaves requests to other servers alone", () => {
  const other = requestWith(53, 1, 3, 50, 4, 10, 5, 0, 9);
  const refusal = replyTo(other, "10.5.0.1", leases);
  assert.deepEqual(optionsIn(refusal).slice(0, 10), [
    53,
    1,
    6,
    54,
    4,
    10,
    5,
    0,
    1,
    255,
  ]);
  const elsewhere = requestWith(53, 1, 3, 54, 4, 10, 5, 0, 7);
  assert.equal(replyTo(elsewhere, "10.5.0.1", leases), undefined);
});

Deno.test("replyTo takes no broken packets", () => {
  for (const size of [0, 100, 240, 242]) {
    const packet = requestWith(53, 1, 1).slice(0, size);
    assert.equal(replyTo(packet, "10.5.0.1", leases), undefined);
  }
});

Deno.test("formatMac writes pairs of digits", () => {
  assert.equal(
    formatMac(Uint8Array.of(2, 0, 10, 255, 16, 1)),
    "02:00:0a:ff:10:01",
  );
});

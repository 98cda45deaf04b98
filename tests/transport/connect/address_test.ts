import assert from "node:assert/strict";
import { addressBytes, ipVersion } from "../../../transport/connect/address.ts";

const hosts = [
  ["10.0.0.1", 4],
  ["255.255.255.255", 4],
  ["0.0.0.0", 4],
  ["::1", 6],
  ["fd00::10", 6],
  ["fe80::1%eth0", 6],
  ["::ffff:10.0.0.1", 6],
  ["2001:db8:0:0:0:0:0:1", 6],
  ["10.0.0.256", 0],
  ["10.0.0", 0],
  ["10.0.0.1.", 0],
  ["10.0.0.1.1", 0],
  ["1::2::3", 0],
  [":", 0],
  ["node1", 0],
  ["", 0],
] as const;

for (const [host, version] of hosts) {
  Deno.test(`ipVersion of "${host}" is ${version}`, () => {
    assert.equal(ipVersion(host), version);
  });
}

const bytes = [
  ["10.0.0.255", "0a0000ff"],
  ["::", "00000000000000000000000000000000"],
  ["::1", "00000000000000000000000000000001"],
  ["fd00::", "fd000000000000000000000000000000"],
  ["2001:DB8::a:b", "20010db80000000000000000000a000b"],
  ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008"],
  ["::ffff:10.0.0.1", "00000000000000000000ffff0a000001"],
  ["fe80::1%eth0", "fe800000000000000000000000000001"],
] as const;

for (const [address, hex] of bytes) {
  Deno.test(`addressBytes of ${address} are in network order`, () => {
    assert.equal(new Uint8Array(addressBytes(address)).toHex(), hex);
  });
}

import assert from "node:assert/strict";
import {
  address,
  addressPort,
  hardwareAddress,
  portRange,
  prefix,
} from "../../../../config/documents/scalars/network.ts";
import {
  assertKept,
  assertReadings,
  assertRefused,
  fits,
  reading,
} from "../_readings.ts";

Deno.test("hardware addresses are written with colons in lower case", () => {
  assertReadings(hardwareAddress, [
    ["00:11:22:33:44:55", '"00:11:22:33:44:55"'],
    ["AA:bb:Cc:dd:ee:FF", '"aa:bb:cc:dd:ee:ff"'],
    ["001122334455", '"00:11:22:33:44:55"'],
    ["aabb", '"aa:bb"'],
    ["a:b", '"ab"'],
    ["aa:bb:cc:dd:ee:ff:00:11", '"aa:bb:cc:dd:ee:ff:00:11"'],
    ["", '""'],
    [":", '""'],
  ]);
  assert.ok(fits(hardwareAddress, "00:11:22:33:44:55"));
});

Deno.test("half bytes and other signs make no hardware address", () => {
  assertRefused(hardwareAddress, ["a", "gg", "aa-bb", "aa bb", "0x12", "1:11"]);
  assert.equal(
    reading(hardwareAddress, "aa-bb"),
    'fault: "aa-bb" is not a hardware address',
  );
});

Deno.test("addresses are written in their shortest spelling", () => {
  assertReadings(address, [
    ["", '""'],
    ["1.2.3.4", '"1.2.3.4"'],
    ["0.0.0.0", '"0.0.0.0"'],
    ["::", '"::"'],
    ["FE80::1%eth0", '"fe80::1%eth0"'],
    ["fe80::1%a%b", '"fe80::1%a%b"'],
    ["0001::", '"1::"'],
    ["1:2:3:4:5:6:7::", '"1:2:3:4:5:6:7:0"'],
    ["1:0:0:2:0:0:0:3", '"1:0:0:2::3"'],
    ["1:0:0:2:0:0:3:4", '"1::2:0:0:3:4"'],
    ["::1.2.3.4", '"::102:304"'],
    ["::ffff:0102:0304", '"::ffff:1.2.3.4"'],
    ["::FFFF:1.2.3.4%e", '"::ffff:1.2.3.4%e"'],
  ]);
});

Deno.test("what is not an address is refused", () => {
  assertRefused(address, ["01.2.3.4", "1.2.3", "1.2.3.4.5", "256.1.1.1"]);
  assertRefused(address, ["1.2.3.4%eth0", "1.2.3.4%e:", "fe80::1%", "%eth0"]);
  assertRefused(address, ["1::2::3", "12345::", ":1", "1:", ":::", "[::1]"]);
  assertRefused(address, ["1:2:3:4::5:6:7:8", "::1/64", '" ::1"', "1.2.3.4 "]);
  assert.equal(reading(address, "a"), 'fault: "a" is not an IP address');
});

Deno.test("networks keep the bits of the host", () => {
  assertReadings(prefix, [
    ["", '""'],
    ["10.0.0.5/24", '"10.0.0.5/24"'],
    ["0.0.0.0/0", '"0.0.0.0/0"'],
    ["FD00::0:1/64", '"fd00::1/64"'],
    ["::/128", '"::/128"'],
    ["::ffff:1.2.3.4/120", '"::ffff:1.2.3.4/120"'],
  ]);
});

Deno.test("networks without a length, or with a wrong one, are refused", () => {
  assertRefused(prefix, ["10.0.0.1", "10.0.0.1/", "/24", "10.0.0.1/33"]);
  assertRefused(prefix, ["10.0.0.1/024", "10.0.0.1/+2", "10.0.0.1/-1"]);
  assertRefused(prefix, ["::/129", "::1%e/64", "10.0.0.1/8/8", "10.0.0/8"]);
  assert.equal(reading(prefix, "10.0.0.1"), 'fault: "10.0.0.1" is not a CIDR');
});

Deno.test("addresses with ports have IPv6 in brackets", () => {
  assertReadings(addressPort, [
    ["", '""'],
    ["1.2.3.4:80", '"1.2.3.4:80"'],
    ["1.2.3.4:080", '"1.2.3.4:80"'],
    ["1.2.3.4:0", '"1.2.3.4:0"'],
    ["[FD00::1]:65535", '"[fd00::1]:65535"'],
    ["[fe80::1%eth0]:80", '"[fe80::1%eth0]:80"'],
    ["[::ffff:1.2.3.4]:80", '"[::ffff:1.2.3.4]:80"'],
  ]);
});

Deno.test("addresses with a wrong port or brackets are refused", () => {
  assertRefused(addressPort, ["1.2.3.4", "1.2.3.4:", ":80", "1.2.3.4:65536"]);
  assertRefused(addressPort, ["[1.2.3.4]:80", "::1:80", "[::1]", "[::1]80"]);
  assertRefused(addressPort, ["1.2.3.4:+80", "1.2.3.4:http", "a.example:80"]);
});

Deno.test("ports are numbers, ranges are texts", () => {
  assertReadings(portRange, [
    ["80", "80"],
    ["0x50", "80"],
    ["80.0", "80"],
    ["80-80", "80"],
    ["80-90", '"80-90"'],
    ["080-090", '"80-90"'],
    ['"1-65535"', '"1-65535"'],
    // Which end is greater is for rules to look at.
    ["90-80", '"90-80"'],
  ]);
});

Deno.test("what is not a port or a range is refused", () => {
  assertRefused(portRange, ['"80"', "65536", "-80", "80-", "80 - 90", "1.5"]);
  assertRefused(portRange, ["80-90-100", "+80-90", "http", '""']);
  assert.equal(
    reading(portRange, "1-65536"),
    'fault: "1-65536" goes beyond port 65535',
  );
});

Deno.test("an absent list element of addresses is an empty text", () => {
  assertKept(address, [address.zero.text]);
});

Deno.test("hardware addresses of any length are read", () => {
  const text = "aa".repeat(1e6);
  const written = `"${text.match(/../g)?.join(":")}"`;
  assert.equal(reading(hardwareAddress, text), written);
  assertRefused(hardwareAddress, [`"${text}a"`]);
});

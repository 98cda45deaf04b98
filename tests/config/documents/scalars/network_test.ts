import assert from "node:assert/strict";
import {
  address,
  addressPort,
  hardwareAddress,
  portRange,
  prefix,
} from "../../../../config/documents/scalars/network.ts";
import { assertReadings, assertRefused, reading } from "../_parse_cases.ts";

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
    // Rules compare both ends, not the parser.
    ["90-80", '"90-80"'],
  ]);
});

Deno.test("port ranges: refuses other texts", () => {
  assertRefused(portRange, ['"80"', "65536", "-80", "80-", "80 - 90", "1.5"]);
  assertRefused(portRange, ["80-90-100", "+80-90", "http", '""']);
  assert.equal(
    reading(portRange, "1-65536"),
    'fault: "1-65536" goes beyond port 65535',
  );
});

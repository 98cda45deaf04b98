import assert from "node:assert/strict";
import { toCursor } from "../../../../config/documents/cursor.ts";
import {
  hostname,
  resolver,
  staticHost,
} from "../../../../config/documents/network/hosts.ts";
import { toTree } from "../../../../config/tree/node.ts";
import { testRules } from "../_rules.ts";

const label = "a".repeat(63);
const long = `${label}.${label}.${label}.${"a".repeat(61)}`;

testRules(hostname, [
  { title: "a kind of name is enough", value: { auto: "off" }, problems: [] },
  { title: "a name is enough", value: { hostname: "a.b" }, problems: [] },
  {
    title: "a name goes with none made up",
    value: { auto: "OFF", hostname: long },
    problems: [],
  },
  {
    title: "something must be given",
    value: { hostname: "" },
    problems: [': Neither "auto" nor "hostname" is given'],
  },
  {
    title: "a name goes not with one made up",
    value: { auto: "stable", hostname: "node" },
    problems: [
      'hostname: Hostname "node" is given although "auto" is "stable"',
    ],
  },
  {
    title: "a name has at most 253 characters",
    value: { hostname: `${long}a` },
    problems: ["hostname: Hostname has 254 characters"],
  },
  {
    title: "a name has at most 63 characters before the first dot",
    value: { hostname: `a${label}.b` },
    problems: [
      `hostname: First part of hostname "a${label}.b" has 64 characters`,
    ],
  },
  {
    title: "a name does not start with a dot",
    value: { hostname: ".b" },
    problems: ['hostname: First part of hostname ".b" has 0 characters'],
  },
]);

testRules(staticHost, [
  {
    title: "the name is an address",
    value: { name: "10.0.0.10", hostnames: ["a"] },
    problems: [],
  },
  {
    title: "the name is not a hostname",
    value: { name: "a", hostnames: ["a"] },
    problems: ['name: Name "a" is not an IP address'],
  },
]);

const plain = { address: "10.0.0.2" };
const encrypted = {
  address: "10.0.0.1",
  protocol: "DoT",
  tlsServerName: "dns.example.org",
};
const forwarded = { forwardKubeDNSToHost: true, resolveMemberNames: true };

testRules(resolver, [
  {
    title: "servers may be encrypted beside a plain one",
    value: {
      nameservers: [encrypted, { ...plain, protocol: "do53" }],
      hostDNS: { enabled: true, ...forwarded },
    },
    problems: [],
  },
  {
    title: "a server has an address",
    value: { nameservers: [{ address: "" }, plain] },
    problems: ['nameservers[0].address: "address" is missing'],
  },
  {
    title: "an encrypted server has the name of its certificate",
    value: { nameservers: [{ ...plain, protocol: "DoH" }, plain] },
    problems: [
      'nameservers[0].tlsServerName: "tlsServerName" is missing, which protocol "doh" needs',
    ],
  },
  {
    title: "a protocol that is empty is plain DNS",
    value: { nameservers: [{ ...plain, protocol: "" }] },
    problems: [],
  },
  {
    title: "a plain server has no such name",
    value: { nameservers: [{ ...plain, tlsServerName: "dns.example.org" }] },
    problems: [
      'nameservers[0].tlsServerName: "tlsServerName" is given for plain DNS',
    ],
  },
  {
    title: "servers that are all encrypted need a clock",
    value: { nameservers: [encrypted] },
    problems: [
      "warning nameservers: All DNS servers are encrypted, which requires a correct clock",
    ],
  },
  {
    title: "host DNS that is off serves nobody",
    value: { hostDNS: { enabled: false, ...forwarded } },
    problems: [
      'hostDNS.forwardKubeDNSToHost: "forwardKubeDNSToHost" is true, but host DNS is not enabled',
      'hostDNS.resolveMemberNames: "resolveMemberNames" is true, but host DNS is not enabled',
    ],
  },
]);

Deno.test("ResolverConfig: nodes before v1.14 skip servers without an address", () => {
  const document = toCursor(toTree({ nameservers: [{ address: "" }, plain] }));
  assert.deepEqual([...resolver.rules!(document, "1.13")], []);
});

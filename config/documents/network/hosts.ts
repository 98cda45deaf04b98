/** Host name of the node, static hosts, and resolvers. */

import { addressFamily } from "../../../lib/ip.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { isOlderMinor } from "../../../lib/version.ts";
import type { OsVersion } from "../schema.ts";
import { documentKind } from "../table.ts";

export const hostname = documentKind(hostnameRules)`
HostnameConfig | since 1.12 | Hostname of the node
  = A hostname generated from the node's identity | {"auto": "stable"}
  = A static hostname | {"auto": "off", "hostname": "worker-33"}
  auto     | choice(off stable), optional | How the node generates a hostname if none is given | "stable"
  hostname | text | Static hostname, with or without a domain | "controlplane1"
`;

function* hostnameRules(document: Cursor): Iterable<Problem> {
  const auto = document.get("auto");
  const fixed = document.get("hostname");
  const name = fixed.text() ?? "";
  if (auto.node === undefined && name === "") {
    yield document.error(
      'Neither "auto" nor "hostname" is given',
      "Give one of them",
    );
  }
  if (name === "") return;
  if (auto.text() !== undefined && auto.text()?.toLowerCase() !== "off") {
    yield fixed.error(
      `Hostname "${name}" is given although "auto" is "${auto.text()}"`,
      'Set "auto" to "off" or remove "hostname"',
    );
  }
  yield* lengthRules(fixed, name);
}

function* lengthRules(fixed: Cursor, name: string): Iterable<Problem> {
  const [first = ""] = name.split(".");
  const [all, label] = [name, first].map((text) =>
    new TextEncoder().encode(text).length
  );
  if (all !== undefined && all > 253) {
    yield fixed.error(
      `Hostname has ${all} characters`,
      "Use at most 253 characters, including the domain",
    );
  }
  if (label === 0 || (label !== undefined && label > 63)) {
    yield fixed.error(
      `First part of hostname "${name}" has ${label} characters`,
      "Use 1 to 63 characters before the first dot",
    );
  }
}

export const staticHost = documentKind(staticHostRules)`
StaticHostConfig | named, since 1.12 | Static host entry for the node's /etc/hosts
  = {"name": "10.0.0.10", "hostnames": ["registry.example.org", "registry"]}
  name      | text, always | IP address | "10.0.0.10"
  hostnames | list(text), always, required | Hostnames that resolve to the address
    = ["registry.example.org", "registry"]
`;

function* staticHostRules(document: Cursor): Iterable<Problem> {
  const given = document.get("name");
  const text = given.text() ?? "";
  if (text !== "" && addressFamily(text) === undefined) {
    yield given.error(
      `Name "${text}" is not an IP address`,
      'Set "name" to the IP address the hostnames resolve to',
    );
  }
}

export const resolver = documentKind(resolverRules)`
ResolverConfig | since 1.12 | DNS servers and search domains of the node
  = Servers and search domains | {"nameservers": [{"address": "10.0.0.1"}, {"address": "fd00::1"}],
    "searchDomains": {"domains": ["example.org"], "disableDefault": true}}
  = An encrypted server behind the node's own | {"nameservers": [{"address": "10.0.0.1", "protocol": "DoT",
    "tlsServerName": "dns.example.org"}, {"address": "10.0.0.2"}], "hostDNS": {"enabled": true,
    "forwardKubeDNSToHost": true}}
  nameservers            | list(struct), default 1.1.1.1 and 8.8.8.8 | DNS servers, used instead of those from DHCP or the platform
    = [{"address": "10.0.0.1"}]
    address              | address, always | IP address of the DNS server | "10.0.0.1"
    protocol             | choice(Do53 DoT DoH), default Do53, since 1.14 | DNS protocol: plain, over TLS or over HTTPS
      = "DoT"
    tlsServerName        | text, since 1.14 | TLS server name, for DoT and DoH | "dns.example.org"
  searchDomains          | struct | Search domain settings
    domains              | list(text) | Search domains for names without a dot | ["example.org"]
    disableDefault       | boolean, optional, default false | Whether to leave the hostname's domain out of the search domains
  hostDNS                | struct, since 1.14 | Host DNS: caching resolver on the node
    enabled              | boolean, optional, default false | Enables the caching DNS resolver on the node
    forwardKubeDNSToHost | boolean, optional, default false | Uses it as the upstream of CoreDNS
    resolveMemberNames   | boolean, optional, default false | Resolves hostnames of cluster members
`;

function* resolverRules(
  document: Cursor,
  version: OsVersion = "1.14",
): Iterable<Problem> {
  const servers = document.get("nameservers");
  let encrypted = 0;
  for (const item of servers.items()) {
    const address = item.get("address");
    // Older nodes skip such an entry.
    if (!isOlderMinor(version, "1.14") && (address.text() ?? "") === "") {
      yield address.error(
        '"address" is missing',
        "Give the address of the DNS server",
      );
    }
    const protocol = (item.get("protocol").text() || "Do53").toLowerCase();
    const name = item.get("tlsServerName");
    const isNamed = (name.text() ?? "") !== "";
    if (protocol !== "do53") encrypted++;
    if (protocol !== "do53" && !isNamed) {
      yield name.error(
        `"tlsServerName" is missing, which protocol "${protocol}" needs`,
        "Give the name in the server's certificate",
      );
    } else if (protocol === "do53" && isNamed) {
      yield name.error(
        '"tlsServerName" is given for plain DNS',
        'Remove it, or set "protocol" to DoT or DoH',
      );
    }
  }
  if (encrypted > 0 && encrypted === servers.items().length) {
    yield servers.warning(
      "All DNS servers are encrypted, which requires a correct clock",
      "Keep one plain server, or give NTP servers by address",
    );
  }
  const dns = document.get("hostDNS");
  if (dns.get("enabled").truth() === true) return;
  for (const key of ["forwardKubeDNSToHost", "resolveMemberNames"]) {
    if (dns.get(key).truth() !== true) continue;
    yield dns.get(key).error(
      `"${key}" is true, but host DNS is not enabled`,
      "Set hostDNS.enabled to true",
    );
  }
}

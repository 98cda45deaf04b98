/** Names: the node's own, those of other hosts, and who resolves them. */

import { addressFamily } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { address, boolean, choice, openText } from "../scalars/scalars.ts";
import { isBefore } from "../requirements.ts";
import type { DocumentKind, OsVersion } from "../schema.ts";
import { field, flag, list, nameField, struct } from "../shapes.ts";

/** `HostnameConfig`. */
export const hostname: DocumentKind = {
  kind: "HostnameConfig",
  summary: "Hostname of the node",
  named: false,
  since: "1.12",
  fields: {
    auto: field(
      choice(["off", "stable"], { insensitive: true }),
      "How the node generates a hostname if none is given",
      { optional: true, example: "stable" },
    ),
    hostname: field(openText, "Static hostname, with or without a domain", {
      example: "controlplane1",
    }),
  },
  examples: [
    {
      title: "A hostname generated from the node's identity",
      value: { auto: "stable" },
    },
    {
      title: "A static hostname",
      value: { auto: "off", hostname: "worker-33" },
    },
  ],
  rules: hostnameRules,
};

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

/** `StaticHostConfig`. */
export const staticHost: DocumentKind = {
  kind: "StaticHostConfig",
  summary: "Static host entry for the node's /etc/hosts",
  named: true,
  since: "1.12",
  fields: {
    name: nameField("IP address", "10.0.0.10"),
    hostnames: field(list(openText), "Hostnames that resolve to the address", {
      always: true,
      required: true,
      example: ["registry.example.org", "registry"],
    }),
  },
  examples: [{
    value: {
      name: "10.0.0.10",
      hostnames: ["registry.example.org", "registry"],
    },
  }],
  rules: staticHostRules,
};

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

/** `ResolverConfig`. */
export const resolver: DocumentKind = {
  kind: "ResolverConfig",
  summary: "DNS servers and search domains of the node",
  named: false,
  since: "1.12",
  fields: {
    nameservers: field(
      list(struct({
        address: field(address, "IP address of the DNS server", {
          always: true,
          example: "10.0.0.1",
        }),
        protocol: field(
          choice(["Do53", "DoT", "DoH"], { insensitive: true }),
          "DNS protocol: plain, over TLS or over HTTPS",
          { initial: "Do53", since: "1.14", example: "DoT" },
        ),
        tlsServerName: field(
          openText,
          "TLS server name, for DoT and DoH",
          { since: "1.14", example: "dns.example.org" },
        ),
      })),
      "DNS servers, used instead of those from DHCP or the platform",
      { initial: "1.1.1.1 and 8.8.8.8", example: [{ address: "10.0.0.1" }] },
    ),
    searchDomains: field(
      struct({
        domains: field(
          list(openText),
          "Search domains for names without a dot",
          { example: ["example.org"] },
        ),
        disableDefault: field(
          boolean,
          "Whether to leave the hostname's domain out of the search domains",
          { optional: true, initial: "false" },
        ),
      }),
      "Search domain settings",
    ),
    hostDNS: field(
      struct({
        enabled: flag("Enables the caching DNS resolver on the node"),
        forwardKubeDNSToHost: flag(
          "Uses it as the upstream of CoreDNS",
        ),
        resolveMemberNames: flag("Resolves hostnames of cluster members"),
      }),
      "Host DNS: caching resolver on the node",
      { since: "1.14" },
    ),
  },
  examples: [
    {
      title: "Servers and search domains",
      value: {
        nameservers: [{ address: "10.0.0.1" }, { address: "fd00::1" }],
        searchDomains: { domains: ["example.org"], disableDefault: true },
      },
    },
    {
      title: "An encrypted server behind the node's own",
      value: {
        nameservers: [{
          address: "10.0.0.1",
          protocol: "DoT",
          tlsServerName: "dns.example.org",
        }, { address: "10.0.0.2" }],
        hostDNS: { enabled: true, forwardKubeDNSToHost: true },
      },
    },
  ],
  rules: resolverRules,
};

function* resolverRules(
  document: Cursor,
  version: OsVersion = "1.14",
): Iterable<Problem> {
  const servers = document.get("nameservers");
  let encrypted = 0;
  for (const item of servers.items()) {
    const address = item.get("address");
    // Older nodes skip such an entry.
    if (!isBefore(version, "1.14") && (address.text() ?? "") === "") {
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

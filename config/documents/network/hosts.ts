/** Names: the node's own, those of other hosts, and who resolves them. */

import { addressFamily } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { address, boolean, choice, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, list, nameField, struct } from "../shapes.ts";

/** `HostnameConfig`. */
export const hostname: DocumentKind = {
  kind: "HostnameConfig",
  summary: "Hostname of the node, fixed or made up by the node",
  named: false,
  since: "1.12",
  fields: {
    auto: field(
      choice(["off", "stable"], { insensitive: true }),
      "How the node makes up a hostname when none is given",
      { optional: true, example: "stable" },
    ),
    hostname: field(openText, "Fixed hostname, with or without a domain", {
      example: "controlplane1",
    }),
  },
  examples: [
    { title: "A name from the machine's identity", value: { auto: "stable" } },
    { title: "A fixed name", value: { auto: "off", hostname: "worker-33" } },
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
      'Set "auto" to "off" or leave "hostname" out',
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
      "At most 253 are allowed with the domain",
    );
  }
  if (label === 0 || (label !== undefined && label > 63)) {
    yield fixed.error(
      `First part of hostname "${name}" has ${label} characters`,
      "Between 1 and 63 are allowed before the first dot",
    );
  }
}

/** `StaticHostConfig`. */
export const staticHost: DocumentKind = {
  kind: "StaticHostConfig",
  summary: "Hostnames of an address, for the node's hosts file",
  named: true,
  since: "1.12",
  fields: {
    name: nameField("The address", "10.0.0.10"),
    hostnames: field(list(openText), "Names that resolve to it", {
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
      "The document's name is the address the hostnames resolve to",
    );
  }
}

/** `ResolverConfig`. */
export const resolver: DocumentKind = {
  kind: "ResolverConfig",
  summary: "Name servers and search domains of the node",
  named: false,
  since: "1.12",
  fields: {
    nameservers: field(
      list(struct({
        address: field(address, "IP address of the server", {
          always: true,
          example: "10.0.0.1",
        }),
      })),
      "Name servers, instead of those from DHCP or the platform",
      { initial: "1.1.1.1 and 8.8.8.8", example: [{ address: "10.0.0.1" }] },
    ),
    searchDomains: field(
      struct({
        domains: field(
          list(openText),
          "Domains that are tried behind names without a dot",
          { example: ["example.org"] },
        ),
        disableDefault: field(
          boolean,
          "Whether the domain of the hostname is not added",
          { optional: true, initial: "false" },
        ),
      }),
      "Domains for short names",
    ),
  },
  examples: [{
    value: {
      nameservers: [{ address: "10.0.0.1" }, { address: "fd00::1" }],
      searchDomains: { domains: ["example.org"], disableDefault: true },
    },
  }],
};

/** Routes without a link, and rules that choose a routing table. */

import { parseNetwork } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import { tables } from "./link_block.ts";
import type { Problem } from "../problem.ts";
import { choice, openText, prefix, u32 } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, nameField } from "../shapes.ts";

/** `BlackholeRouteConfig`. */
export const blackholeRoute: DocumentKind = {
  kind: "BlackholeRouteConfig",
  summary: "A network to which packets are dropped",
  named: true,
  since: "1.13",
  fields: {
    name: nameField("The network", "10.0.0.0/12"),
    metric: field(u32, "Cost; among equal routes the cheapest is taken", {
      example: 100,
    }),
  },
  examples: [{ value: { name: "10.0.0.0/12", metric: 100 } }],
  *rules(document) {
    const given = document.get("name");
    const text = given.text() ?? "";
    if (text !== "" && parseNetwork(text) === undefined) {
      yield given.error(
        `Name "${text}" is not a network`,
        "The document's name is the network, such as 10.0.0.0/12",
      );
    }
  },
};

/** `RoutingRuleConfig`. */
export const routingRule: DocumentKind = {
  kind: "RoutingRuleConfig",
  summary: "Which packets are routed by another table, or not at all",
  named: true,
  since: "1.13",
  fields: {
    name: nameField(
      "Priority of the rule; the lowest is looked at first",
      "1000",
    ),
    src: field(prefix, "Network the packets come from", {
      example: "10.0.0.0/8",
    }),
    dst: field(prefix, "Network the packets go to", {
      example: "192.168.0.0/16",
    }),
    table: field(tables, "Routing table that is looked up", {
      always: true,
      example: "100",
    }),
    action: field(
      choice(["unspec", "unicast", "blackhole", "unreachable", "prohibit"], {
        insensitive: true,
      }),
      "What happens to the packets",
      { initial: "unicast", example: "unicast" },
    ),
    iifName: field(openText, "Link the packets come in at", {
      example: "enp0s3",
    }),
    oifName: field(openText, "Link the packets go out at", {
      example: "enp0s4",
    }),
    fwMark: field(u32, "Firewall mark of the packets", { example: 256 }),
    fwMask: field(u32, "Bits of the mark that count", { example: 65280 }),
  },
  examples: [{
    value: {
      name: "1000",
      src: "10.0.0.0/8",
      table: "100",
      action: "unicast",
      iifName: "enp0s3",
    },
  }],
  rules: ruleRules,
};

/** Of the kernel's own rules, and of the mesh between nodes. */
const taken = [0, 32500, 32766, 32767];

function* ruleRules(document: Cursor): Iterable<Problem> {
  const given = document.get("name");
  const text = given.text() ?? "";
  const priority = Number(text);
  if (text !== "" && (!/^\d+$/.test(text) || priority >= 2 ** 32)) {
    yield given.error(
      `Name "${text}" is not a priority`,
      "Give a number from 1 to 32765, such as 1000",
    );
  } else if (text !== "" && taken.includes(priority)) {
    yield given.error(
      `Priority ${text} belongs to the system`,
      `Give a number from 1 to 32765 other than ${taken.join(", ")}`,
    );
  }
  const action = (document.get("action").text() || "unspec").toLowerCase();
  const table = (document.get("table").text() || "unspec").toLowerCase();
  if (table === "unspec" && ["unspec", "unicast"].includes(action)) {
    yield document.get("table").error(
      "The rule names no table to look up",
      'Give "table", or another "action"',
    );
  }
  const mask = document.get("fwMask");
  if ((mask.number() ?? 0) !== 0 && !document.get("fwMark").number()) {
    yield mask.error('"fwMask" is given without "fwMark"', "Give both");
  }
}

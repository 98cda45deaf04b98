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
  summary: "Blackhole route: packets to the network are dropped",
  named: true,
  since: "1.13",
  fields: {
    name: nameField("Destination network", "10.0.0.0/12"),
    metric: field(u32, "Route metric", {
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
  summary: "Routing policy rule",
  named: true,
  since: "1.13",
  fields: {
    name: nameField(
      "Priority of the rule; the lowest is matched first",
      "1000",
    ),
    src: field(prefix, "Source network to match", {
      example: "10.0.0.0/8",
    }),
    dst: field(prefix, "Destination network to match", {
      example: "192.168.0.0/16",
    }),
    table: field(tables, "Routing table to look up", {
      always: true,
      example: "100",
    }),
    action: field(
      choice(["unspec", "unicast", "blackhole", "unreachable", "prohibit"], {
        insensitive: true,
      }),
      "Action for matching packets",
      { initial: "unicast", example: "unicast" },
    ),
    iifName: field(openText, "Incoming interface to match", {
      example: "enp0s3",
    }),
    oifName: field(openText, "Outgoing interface to match", {
      example: "enp0s4",
    }),
    fwMark: field(u32, "Firewall mark to match", { example: 256 }),
    fwMask: field(u32, "Mask of the firewall mark", { example: 65280 }),
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
      `Priority ${text} is reserved for the system`,
      `Give a number from 1 to 32765 other than ${taken.join(", ")}`,
    );
  }
  const action = (document.get("action").text() || "unspec").toLowerCase();
  const table = (document.get("table").text() || "unspec").toLowerCase();
  if (table === "unspec" && ["unspec", "unicast"].includes(action)) {
    yield document.get("table").error(
      "The rule has no routing table",
      'Give "table", or another "action"',
    );
  }
  const mask = document.get("fwMask");
  if ((mask.number() ?? 0) !== 0 && !document.get("fwMark").number()) {
    yield mask.error('"fwMask" is given without "fwMark"', "Give both");
  }
}

/** Routes without a link, and rules that choose a routing table. */

import { parseNetwork } from "../../../lib/ip.ts";
import type { Cursor } from "../cursor.ts";
import { tables } from "./link_block.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const blackholeRoute = documentKind(blackholeRouteRules)`
BlackholeRouteConfig | named, since 1.13 | Blackhole route: packets to the network are dropped
  = {"name": "10.0.0.0/12", "metric": 100}
  name   | text, always | Destination network | "10.0.0.0/12"
  metric | u32 | Route metric | 100
`;

function* blackholeRouteRules(document: Cursor): Iterable<Problem> {
  const given = document.get("name");
  const text = given.text() ?? "";
  if (text !== "" && parseNetwork(text) === undefined) {
    yield given.error(
      `Name "${text}" is not a network`,
      "The document's name is the network, such as 10.0.0.0/12",
    );
  }
}

export const routingRule = documentKind(ruleRules)`
RoutingRuleConfig | named, since 1.13 | Routing policy rule
  = {"name": "1000", "src": "10.0.0.0/8", "table": "100", "action": "unicast", "iifName": "enp0s3"}
  name    | text, always | Priority of the rule; the lowest is matched first | "1000"
  src     | prefix | Source network to match | "10.0.0.0/8"
  dst     | prefix | Destination network to match | "192.168.0.0/16"
  table   | ${tables}, always | Routing table to look up | "100"
  action  | choice(unspec unicast blackhole unreachable prohibit), default unicast | Action for matching packets
    = "unicast"
  iifName | text | Incoming interface to match | "enp0s3"
  oifName | text | Outgoing interface to match | "enp0s4"
  fwMark  | u32 | Firewall mark to match | 256
  fwMask  | u32 | Mask of the firewall mark | 65280
`;

/** Priorities of the kernel's own rules, and of KubeSpan. */
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

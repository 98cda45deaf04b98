import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { choice } from "../scalars/scalars.ts";
import { documentKind } from "../table.ts";

export const networkDefaultAction = documentKind()`
NetworkDefaultActionConfig |  | Default action of the node's ingress firewall
  = {"ingress": "block"}
  ingress | choice(accept block), always, default accept | Action for ingress traffic that matches no rule
    = "block"
`;

// A rule without a protocol is invalid, so there is no word for none; nodes write one that they cannot read.
const protocol = choice(["icmp", "tcp", "udp", "icmpv6"], {
  insensitive: true,
  zero: "",
});

export const networkRule = documentKind(rules)`
NetworkRuleConfig | named | Rule of the ingress firewall
  = {"name": "node-api", "portSelector": {"ports": [50000, "50001-50009"], "protocol": "tcp"},
    "ingress": [{"subnet": "10.0.0.0/24", "except": "10.0.0.128/25"}, {"subnet": "fd00::/64"}]}
  name         | text, always | Name of the rule | "node-api"
  portSelector | struct, always, required | Traffic the rule applies to
    ports      | list(portRange), always, required, replace | Ports and port ranges | [50000, "30000-32767"]
    protocol   | ${protocol}, required | Protocol | "tcp"
  ingress      | list(struct), always, replace | Networks to allow traffic from
    subnet     | prefix, always, required | Network to allow traffic from | "10.0.0.0/24"
    except     | prefix | Part of that network to exclude | "10.0.0.128/25"
`;

interface Range {
  readonly at: Cursor;
  readonly low: number;
  readonly high: number;
}

function* rules(document: Cursor): Iterable<Problem> {
  const ranges = document.get("portSelector", "ports").items().map(parseRange);
  const inOrder = ranges.toSorted((one, other) => one.low - other.low);
  for (const [index, { at, low, high }] of inOrder.entries()) {
    if (low > high) {
      yield at.error(
        `Port range "${at.text()}" ends before it starts`,
        `Write ${high}-${low}`,
      );
    }
    const before = inOrder[index - 1];
    if (before !== undefined && low <= before.high) {
      yield at.error(
        `Ports "${at.text()}" overlap with "${before.at.text()}"`,
        "List each port once",
      );
    }
  }
}

function parseRange(at: Cursor): Range {
  const [low = 0, high = low] = (at.text() ?? "").split("-").map(Number);
  return { at, low, high };
}

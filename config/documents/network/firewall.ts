/** The firewall of a node. */

import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { choice, portRange, prefix } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, list, nameField, struct } from "../shapes.ts";

/** `NetworkDefaultActionConfig`. */
export const networkDefaultAction: DocumentKind = {
  kind: "NetworkDefaultActionConfig",
  summary: "What the firewall of the node does when no rule matches",
  named: false,
  fields: {
    ingress: field(
      choice(["accept", "block"], { insensitive: true }),
      "What happens to connections that come in",
      { always: true, initial: "accept", example: "block" },
    ),
  },
  examples: [{ value: { ingress: "block" } }],
};

/** `NetworkRuleConfig`. */
export const networkRule: DocumentKind = {
  kind: "NetworkRuleConfig",
  summary: "Networks that may connect to some ports of the node",
  named: true,
  fields: {
    name: nameField("Name of the rule, of any choice", "node-api"),
    portSelector: {
      shape: struct({
        ports: field(list(portRange), "Ports and ranges of ports", {
          always: true,
          required: true,
          merge: "replace",
          example: [50000, "30000-32767"],
        }),
        protocol: {
          shape: choice(["icmp", "tcp", "udp", "icmpv6"], {
            insensitive: true,
            // A rule without a protocol is refused, so no word stands for none;
            // nodes write one that they cannot read.
            zero: "",
          }),
          required: true,
          summary: "Protocol",
          examples: [{ value: "tcp" }],
        },
      }),
      always: true,
      required: true,
      summary: "What the rule is about",
    },
    ingress: field(
      list(struct({
        subnet: field(prefix, "Network connections may come from", {
          always: true,
          required: true,
          example: "10.0.0.0/24",
        }),
        except: field(prefix, "Part of the network they may not come from", {
          example: "10.0.0.128/25",
        }),
      })),
      "Who may connect",
      { always: true, merge: "replace" },
    ),
  },
  examples: [{
    value: {
      name: "node-api",
      portSelector: { ports: [50000, "50001-50009"], protocol: "tcp" },
      ingress: [
        { subnet: "10.0.0.0/24", except: "10.0.0.128/25" },
        { subnet: "fd00::/64" },
      ],
    },
  }],
  rules,
};

/** Ports that one element of a list stands for. */
interface Range {
  /** Where it stands. */
  readonly at: Cursor;
  /** First port. */
  readonly low: number;
  /** Last port. */
  readonly high: number;
}

function* rules(document: Cursor): Iterable<Problem> {
  const ranges = document.get("portSelector", "ports").items().map(rangeOf);
  const inOrder = ranges.toSorted((one, other) => one.low - other.low);
  for (const [index, { at, low, high }] of inOrder.entries()) {
    if (low > high) {
      yield at.error(
        `Range "${at.text()}" ends before it begins`,
        `Write ${high}-${low}`,
      );
    }
    const before = inOrder[index - 1];
    if (before !== undefined && low <= before.high) {
      yield at.error(
        `Ports "${at.text()}" overlap with "${before.at.text()}"`,
        "Name every port once",
      );
    }
  }
}

function rangeOf(at: Cursor): Range {
  const [low = 0, high = low] = (at.text() ?? "").split("-").map(Number);
  return { at, low, high };
}

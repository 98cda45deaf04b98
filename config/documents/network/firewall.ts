import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { choice, portRange, prefix } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, list, nameField, struct } from "../shapes.ts";

/** `NetworkDefaultActionConfig`. */
export const networkDefaultAction: DocumentKind = {
  kind: "NetworkDefaultActionConfig",
  summary: "Default action of the node's ingress firewall",
  named: false,
  fields: {
    ingress: field(
      choice(["accept", "block"], { insensitive: true }),
      "Action for ingress traffic that matches no rule",
      { always: true, initial: "accept", example: "block" },
    ),
  },
  examples: [{ value: { ingress: "block" } }],
};

/** `NetworkRuleConfig`. */
export const networkRule: DocumentKind = {
  kind: "NetworkRuleConfig",
  summary: "Rule of the ingress firewall",
  named: true,
  fields: {
    name: nameField("Name of the rule", "node-api"),
    portSelector: {
      shape: struct({
        ports: field(list(portRange), "Ports and port ranges", {
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
      summary: "Traffic the rule applies to",
    },
    ingress: field(
      list(struct({
        subnet: field(prefix, "Network to allow traffic from", {
          always: true,
          required: true,
          example: "10.0.0.0/24",
        }),
        except: field(prefix, "Part of that network to exclude", {
          example: "10.0.0.128/25",
        }),
      })),
      "Networks to allow traffic from",
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

interface Range {
  readonly at: Cursor;
  readonly low: number;
  readonly high: number;
}

function* rules(document: Cursor): Iterable<Problem> {
  const ranges = document.get("portSelector", "ports").items().map(rangeOf);
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

function rangeOf(at: Cursor): Range {
  const [low = 0, high = low] = (at.text() ?? "").split("-").map(Number);
  return { at, low, high };
}

/** What the firewall does without a rule. */

import { choice } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field } from "../shapes.ts";

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

/** What the firewall does without a rule. */

import { choice } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";

/** `NetworkDefaultActionConfig`. */
export const networkDefaultAction: DocumentKind = {
  kind: "NetworkDefaultActionConfig",
  summary: "What the firewall of the node does when no rule matches",
  named: false,
  fields: {
    ingress: {
      shape: choice(["accept", "block"], { insensitive: true }),
      always: true,
      summary: "What happens to connections that come in",
      initial: "accept",
      examples: [{ value: "block" }],
    },
  },
  examples: [{ value: { ingress: "block" } }],
};

/** Time of a node against a time server: `Time` and `TimeCheck`. */

import type { TimeServiceDefinition } from "../../transport/gen/time.ts";
import { clockSkew, type SimulatedNode } from "../node/node.ts";
import type { Handlers } from "../wire/handlers.ts";
import { timestampOf } from "../wire/timestamp.ts";

/** `Time` and `TimeCheck`. */
export const time: Handlers<typeof TimeServiceDefinition> = {
  time: (_, { node }) => checked(node, "time.cloudflare.com"),
  timeCheck: ({ server }, { node }) => checked(node, server),
};

function checked(node: SimulatedNode, server: string) {
  const now = node.clock.now();
  return {
    messages: [{
      server,
      localtime: timestampOf(now),
      remotetime: timestampOf(now - clockSkew(node.faults) + 3),
    }],
  };
}

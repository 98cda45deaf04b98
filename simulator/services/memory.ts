/** Memory of a node: `Memory`. */

import type { MachineHandlers } from "../wire/handlers.ts";
import { memoryOf } from "../node/memory.ts";

/** `Memory`. */
export const memory: MachineHandlers = {
  memory: (_, { node }) => ({ messages: [{ meminfo: memoryOf(node) }] }),
};

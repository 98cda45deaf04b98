/** Memory of a node: `Memory`. */

import type { MachineHandlers } from "../handlers.ts";
import { memoryOf } from "../memory.ts";

/** `Memory`. */
export const memory: MachineHandlers = {
  memory: (_, { node }) => ({ messages: [{ meminfo: memoryOf(node) }] }),
};

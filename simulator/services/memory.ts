/** Memory of a node: `Memory`. */

import type { MachineServiceDefinition } from "../../transport/gen/machine.ts";
import type { Handlers } from "../handlers.ts";
import { memoryOf } from "../memory.ts";

/** `Memory`. */
export const memory: Handlers<typeof MachineServiceDefinition> = {
  memory: (_, { node }) => ({ messages: [{ meminfo: memoryOf(node) }] }),
};

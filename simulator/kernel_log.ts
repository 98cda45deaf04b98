/** Kernel log of a node: what `Dmesg` streams. */

import { systemName } from "../dialect.ts";
import type { SimulatedNode } from "./node.ts";

/** One message of the kernel log. */
export interface KernelMessage {
  /** Where it came from: `kern`, `user`, `daemon`. */
  readonly facility: string;
  /** How important it is: `info`, `warning`. */
  readonly priority: string;
  /** When, in milliseconds since 1970. */
  readonly time: number;
  /** Text without a line feed. */
  readonly text: string;
}

/** Adds what the node's init program says. */
export function logKernel(node: SimulatedNode, text: string): void {
  node.kernelLog.append({
    facility: "user",
    priority: "warning",
    time: node.clock.now(),
    text: `[${systemName}] ${text}`,
  });
}

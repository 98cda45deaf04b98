/** Every operation by its name. */

import type { AnyOperation } from "../operation.ts";
import { reboot } from "./reboot.ts";

/** Operations that are journaled, by the name of their command. */
export const operations: ReadonlyMap<string, AnyOperation> = new Map(
  [reboot].map((operation) => [operation.name, operation]),
);

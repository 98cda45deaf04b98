/** Every operation by its name. */

import type { AnyOperation } from "../operation.ts";
import { reboot } from "./reboot.ts";
import { rollback } from "./rollback.ts";
import { shutdown } from "./shutdown.ts";

/** Operations that are journaled, by the name of their command. */
export const operations: ReadonlyMap<string, AnyOperation> = new Map(
  [reboot, rollback, shutdown].map((operation: AnyOperation) => [
    operation.name,
    operation,
  ]),
);

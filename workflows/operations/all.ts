/** Every operation by its name. */

import type { AnyOperation } from "../operation.ts";
import { bootstrap } from "./bootstrap.ts";
import { etcdLeave, etcdRemoveMember } from "./etcd_leave.ts";
import { reboot } from "./reboot.ts";
import { restart } from "./restart.ts";
import { rollback } from "./rollback.ts";
import { serviceRestart, serviceStop } from "./service_action.ts";
import { shutdown } from "./shutdown.ts";

/** Operations that are journaled, by the name of their command. */
export const operations: ReadonlyMap<string, AnyOperation> = new Map(
  [
    bootstrap,
    etcdLeave,
    etcdRemoveMember,
    reboot,
    restart,
    rollback,
    serviceRestart,
    serviceStop,
    shutdown,
  ].map((
    operation: AnyOperation,
  ) => [
    operation.name,
    operation,
  ]),
);

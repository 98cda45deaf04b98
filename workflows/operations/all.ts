/** Every operation by its name. */

import type { AnyOperation } from "./operation.ts";
import { applyConfigOperation } from "./apply_config.ts";
import { bootstrap } from "./etcd/bootstrap.ts";
import { etcdLeave, etcdRemoveMember } from "./etcd/leave.ts";
import { reboot } from "./reboot.ts";
import { restart } from "./restart.ts";
import { reset } from "./reset.ts";
import { rollback } from "./rollback.ts";
import { serviceRestart, serviceStop } from "./service_action.ts";
import { shutdown } from "./shutdown.ts";
import { wipeDisk } from "./wipe_disk.ts";
import { upgrade } from "./upgrade/upgrade.ts";
import { upgradeInstall } from "./upgrade/install.ts";

/** Operations that are journaled, by the name of their command. */
export const operations: ReadonlyMap<string, AnyOperation> = new Map(
  [
    applyConfigOperation,
    bootstrap,
    etcdLeave,
    etcdRemoveMember,
    reboot,
    reset,
    restart,
    rollback,
    serviceRestart,
    serviceStop,
    shutdown,
    upgrade,
    upgradeInstall,
    wipeDisk,
  ].map((
    operation: AnyOperation,
  ) => [
    operation.name,
    operation,
  ]),
);

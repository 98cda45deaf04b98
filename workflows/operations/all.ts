import type { AnyOperation } from "./operation.ts";
import { applyConfigOperation } from "./node/apply_config.ts";
import { bootstrap } from "./etcd/bootstrap.ts";
import { etcdLeave, etcdRemoveMember } from "./etcd/leave.ts";
import { reboot } from "./node/reboot.ts";
import { restart } from "./node/restart.ts";
import { reset } from "./node/reset.ts";
import { rollback } from "./node/rollback.ts";
import { serviceRestart, serviceStop } from "./node/service_action.ts";
import { shutdown } from "./node/shutdown.ts";
import { wipeDisk } from "./node/wipe_disk.ts";
import { wipeVolumes } from "./node/wipe_volume.ts";
import { upgrade } from "./upgrade/upgrade.ts";
import { upgradeInstall } from "./upgrade/install.ts";

/** Journaled operations, by command name. */
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
    ...Object.values(wipeVolumes),
  ].map((
    operation: AnyOperation,
  ) => [
    operation.name,
    operation,
  ]),
);

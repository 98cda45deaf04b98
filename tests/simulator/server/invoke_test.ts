import assert from "node:assert/strict";
import { allRoutes } from "../../../simulator/services/mod.ts";
import { isMutating } from "../../../simulator/server/invoke.ts";

Deno.test("methods that change something are distinguished from those that do not", () => {
  const mutating = allRoutes.filter((route) => isMutating(route, {}))
    .map(({ definition }) => definition.name);
  assert.deepEqual([...new Set(mutating)].toSorted(), [
    "ApplyConfiguration",
    "BlockDeviceWipe",
    "Bootstrap",
    "Certificate",
    "ContainerRun",
    "Create",
    "Destroy",
    "EtcdAlarmDisarm",
    "EtcdDefragment",
    "EtcdDowngradeCancel",
    "EtcdDowngradeEnable",
    "EtcdForfeitLeadership",
    "EtcdLeaveCluster",
    "EtcdRecover",
    "EtcdRemoveMemberByID",
    "ImagePull",
    "Import",
    "Install",
    "LogicalVolumeRemove",
    "MetaDelete",
    "MetaWrite",
    "PhysicalVolumeRemove",
    "Pull",
    "Reboot",
    "Remove",
    "Reset",
    "Restart",
    "Rollback",
    "ServiceRestart",
    "ServiceStart",
    "ServiceStop",
    "Shutdown",
    "Teardown",
    "TeardownAndDestroy",
    "Update",
    "Upgrade",
    "VolumeGroupRemove",
  ]);
});

Deno.test("a trial run changes nothing", () => {
  const route = allRoutes.find(({ definition }) =>
    definition.name === "ApplyConfiguration"
  );
  assert.ok(route);
  assert.equal(isMutating(route, { dryRun: true }), false);
  assert.equal(isMutating(route, { dryRun: false }), true);
});

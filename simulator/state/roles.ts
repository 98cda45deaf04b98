/** Role-based access control of methods, with the same rules as nodes. */

import { RpcError } from "../../errors.ts";
import type { Role } from "../../pki/roles.ts";

/** Roles of a caller; unknown names are allowed, but grant nothing. */
export type Roles = ReadonlySet<string>;

/** Roles of any client while a node has no configuration. */
export const maintenanceRoles: Roles = new Set(["os:reader"]);

/**
 * Refuses a call that the caller's roles do not allow.
 *
 * @param path HTTP/2 path of the method: `/machine.MachineService/Version`.
 * @param options `bare` for a node without a configuration, in maintenance mode.
 * @throws {RpcError} PERMISSION_DENIED, in the node's words.
 */
export function authorize(
  path: string,
  roles: Roles,
  { bare = false }: { readonly bare?: boolean } = {},
): void {
  const allowed = bare && bareMethods.has(path)
    ? reader
    : rules.get(path) ?? admin;
  if (!allowed.some((role) => roles.has(role))) throw notAuthorized();
}

/** The node's error for a call that is not allowed. */
export function notAuthorized(): RpcError {
  return new RpcError("PERMISSION_DENIED", "not authorized");
}

const admin: readonly Role[] = ["os:admin"];
const operator: readonly Role[] = [...admin, "os:operator"];
const reader: readonly Role[] = [...operator, "os:reader"];
const backup: readonly Role[] = [...operator, "os:etcd:backup"];
const readerOrBackup: readonly Role[] = [...reader, "os:etcd:backup"];

/** Methods that require no role while a node has no configuration. */
const bareMethods: ReadonlySet<string> = new Set([
  "/machine.LVMService/LogicalVolumeRemove",
  "/machine.LVMService/PhysicalVolumeRemove",
  "/machine.LVMService/VolumeGroupRemove",
  "/machine.MDService/Destroy",
  "/machine.MachineService/ApplyConfiguration",
  "/storage.StorageService/BlockDeviceWipe",
]);

/** Methods that other roles may call; all others are for administrators only. */
const rules: ReadonlyMap<string, readonly Role[]> = new Map([
  ...findRules("cluster.ClusterService", reader, "HealthCheck"),
  ...findRules(
    "inspect.InspectService",
    reader,
    "ControllerRuntimeDependencies",
  ),
  ...findRules("storage.StorageService", reader, "Disks"),
  ...findRules("time.TimeService", reader, "Time TimeCheck"),
  // Access is further restricted by resource type.
  ...findRules("cosi.resource.State", reader, "Get List Watch"),
  ...findRules("machine.ImageService", reader, "List Verify"),
  ...findRules("machine.ImageService", operator, "Pull"),
  ...findRules(
    "machine.MachineService",
    reader,
    `
    CPUFreqStats CPUInfo Containers DiskStats DiskUsage Dmesg Events
    Hostname ImageList List LoadAvg Logs LogsContainers Memory Mounts
    Netstat NetworkDeviceStats Processes ServiceList Stats SystemStat
    Version
  `,
  ),
  ...findRules(
    "machine.MachineService",
    readerOrBackup,
    "EtcdAlarmList EtcdMemberList EtcdStatus",
  ),
  ...findRules("machine.MachineService", backup, "EtcdSnapshot"),
  ...findRules(
    "machine.MachineService",
    operator,
    `
    EtcdAlarmDisarm EtcdDefragment ImagePull PacketCapture Reboot
    Restart ServiceRestart ServiceStart ServiceStop Shutdown
  `,
  ),
]);

function findRules(
  service: string,
  roles: readonly Role[],
  methods: string,
): readonly (readonly [string, readonly Role[]])[] {
  return methods.trim().split(/\s+/)
    .map((method) => [`/${service}/${method}`, roles] as const);
}

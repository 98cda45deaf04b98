/** Sequences of a node (boot, install, reboot, shutdown): phases and their tasks. */

import { includes, parseRange } from "./version_facts.ts";

/** Names of sequences as events have them. */
export type SequenceName =
  | "initialize"
  | "install"
  | "boot"
  | "reboot"
  | "shutdown"
  | "upgrade"
  | "stageUpgrade"
  | "reset";

/** A named list of phases. */
export interface Sequence {
  readonly name: SequenceName;
  /** Phases in order; the tasks of a phase run in parallel. */
  readonly phases: readonly {
    readonly name: string;
    /** Task names as in events; after a space, the minor versions that have them. */
    readonly tasks: readonly string[];
  }[];
}

/** A phase: its name followed by its tasks, some with versions; `false` if the sequence lacks it. */
type Phase = readonly string[] | false;

const unmountPods = ["unmountOverlayFilesystems -9", "unmountPodMounts"];

const unmountSystem = [
  "unmountEphemeralPartition",
  "unmountStatePartition -9",
];

/** First half of a boot: everything up to the configuration. */
export const initialize: Sequence = sequence("initialize", [
  [
    "systemRequirements",
    "enforceKSPPRequirements",
    "setupSystemDirectory -8",
    "mountBPFFS -8",
    "mountCgroups -8",
    "mountPseudoFilesystems -8",
    "setRLimit -8",
    "initVolumeLifecycle -8",
  ],
  ["integrity", "writeIMAPolicy -8"],
  [
    "etc",
    "CreateSystemCgroups -8",
    "createOSReleaseFile -8",
    "setUserEnvVars -8",
  ],
  [
    "earlyServices",
    "startUdevd -13",
    "startMachined",
    "waitForUdevd 14-",
    "startApid 13-",
    "startAuditd 9-",
    "startSyslogd",
    "startContainerd",
  ],
  ["usb", "waitForUSB"],
  ["meta", "reloadMeta"],
  ["dashboard", "startDashboard"],
  ["mountSystem", "mountStatePartition -9"],
  ["config", "loadConfig"],
  ["unmountSystem", "unmountStatePartition -9"],
]);

/** Installation between the halves of a boot. */
export const install: Sequence = sequence("install", [
  ["env", "setUserEnvVars"],
  ["install", "install"],
  ["meta", "reloadMeta"],
  ["saveMeta", "flushMeta"],
  ["saveStateEncryptionConfig", "SaveStateEncryptionConfig -10"],
  ["mountState", "mountStatePartition -9"],
  ["saveConfig", "saveConfig -9"],
  ["unmountState", "unmountStatePartition -9"],
  ["denyNewServices", "denyNewServices 14-"],
  ["volumeFinalize", "teardownLifecycle"],
  ["stopEverything", "stopAllServices"],
  ["kexec", "kexecPrepare"],
  ["reboot", "reboot"],
]);

/** Second half of a boot: everything up to all services. */
export const boot: Sequence = sequence("boot", [
  ["saveStateEncryptionConfig", "SaveStateEncryptionConfig -10"],
  ["mountState", "mountStatePartition -9"],
  ["saveConfig", "saveConfig -9"],
  ["memorySizeCheck", "memorySizeCheck"],
  ["diskSizeCheck", "diskSizeCheck"],
  ["env", "setUserEnvVars", "waitForCARoots"],
  ["dbus", "startDBus"],
  ["ephemeral", "mountEphemeralPartition"],
  ["var", "setupVarDirectory -9"],
  ["overlay", "mountOverlayFilesystems -9"],
  ["udevSetup", "writeUdevRules -13"],
  ["promotableVolumes", "mountPromotableSystemPartitions 14-"],
  ["userDisks", "mountUserDisks"],
  ["userSetup", "writeUserFiles"],
  ["extendPCRStartAll", "extendPCRStartAll -9"],
  ["startEverything", "startAllServices"],
]);

export const reboot: Sequence = sequence("reboot", [
  ["cleanup", "stopAllPods"],
  ["dbus", "stopDBus"],
  ...stopAll({ kexec: true }),
  ["reboot", "reboot"],
]);

/** Forced reboot, without stopping services first. */
export const forcedReboot: Sequence = sequence("reboot", [
  ["reboot", "reboot"],
]);

/** Staged upgrade: reboots; the next boot installs. */
export function stageUpgrade({ kexec }: Kexec): Sequence {
  return sequence("stageUpgrade", [
    ["cleanup", "stopAllPods"],
    ["dbus", "stopDBus"],
    ...stopAll({ kexec }),
    ["reboot", "reboot"],
  ]);
}

/** Installation and reboot. */
export function upgrade({ kexec }: Kexec): Sequence {
  return sequence("upgrade", [
    ["denyNewServices", "denyNewServices 14-"],
    ["drain", "cordonAndDrainNode"],
    ["cleanup", "stopAllPods"],
    ["dbus", "stopDBus"],
    ["stopServices", "stopServicesForUpgrade"],
    ["unmountUser", "unmountUserDisks -9"],
    ["unmount", ...unmountPods],
    ["unmountBind", "unmountSystemDiskBindMounts"],
    ["unmountPromotable", "unmountPromotableSystemPartitions 14-"],
    ["unmountSystem", ...unmountSystem],
    ["volumeFinalize", "teardownLifecycle"],
    ["upgrade", "upgrade"],
    ["meta", "reloadMeta"],
    kexec && ["kexec", "kexecPrepare"],
    ["stopEverything", "stopAllServices"],
    ["reboot", "reboot"],
  ]);
}

/** Orderly shutdown; a forced one does not stop the pods. */
export function shutdown(
  { forced }: { readonly forced: boolean },
): Sequence {
  return sequence("shutdown", [
    ["storeShutdown", "storeShutdownEmergency"],
    !forced && ["drain", "cordonAndDrainNode"],
    ["cleanup", "stopAllPods"],
    ["dbus", "stopDBus"],
    ...stopAll({ kexec: false }),
    ["shutdown", "shutdown"],
  ]);
}

/** Options that determine the phases of a reset. */
interface ResetPhases extends Kexec {
  /** True when the node leaves its cluster first. */
  readonly graceful: boolean;
  readonly isMember: boolean;
  /** Parts of the system disk to wipe. */
  readonly system: "all" | "partitions" | "none";
  /** True to wipe other disks. */
  readonly userDisks: boolean;
  /** True for a reboot at the end, false for a shutdown. */
  readonly reboots: boolean;
}

/** Wipes disks, then reboots or shuts down. */
export function reset(
  { graceful, isMember, system, userDisks, reboots, kexec }: ResetPhases,
): Sequence {
  return sequence("reset", [
    graceful && ["drain", "cordonAndDrainNode"],
    ["cleanup", graceful ? "removeAllPods" : "stopAllPods"],
    ["dbus", "stopDBus"],
    graceful && isMember && ["leave", "leaveEtcd"],
    ["preReset", "sendResetSignal"],
    ...stopAll({ kexec }),
    ["forceCleanup", "forceCleanup"],
    system === "all" && ["reset", "resetSystemDisk"],
    system === "partitions" && ["resetSpec", "resetSystemDiskSpec"],
    userDisks && ["resetUserDisks", "resetUserDisks"],
    reboots ? ["reboot", "reboot"] : ["shutdown", "shutdown"],
  ]);
}

/** Option to load the next kernel with kexec. */
interface Kexec {
  /** False if the machine boots through its firmware. */
  readonly kexec: boolean;
}

function stopAll({ kexec }: Kexec): readonly Phase[] {
  return [
    ["denyNewServices", "denyNewServices 14-"],
    ["stopServices", "stopServicesForUpgrade"],
    ["unmountUser", "unmountUserDisks -9"],
    ["umount", ...unmountPods],
    ["unmountBind", "unmountSystemDiskBindMounts"],
    ["unmountPromotable", "unmountPromotableSystemPartitions 14-"],
    ["unmountSystem", ...unmountSystem],
    ["volumeFinalize", "teardownLifecycle"],
    ["stopEverything", "stopAllServices 14-"],
    kexec && ["kexec", "kexecPrepare"],
    ["stopEverything", "stopAllServices -13"],
  ];
}

/** Filters a sequence for a minor version: its tasks, and the phases that are not empty. */
export function inVersion(
  { name, phases }: Sequence,
  minor: number,
): Sequence {
  const own = phases.map(({ name, tasks }) => ({
    name,
    tasks: tasks.flatMap((task) => {
      const [id = "", versions = ""] = task.split(" ");
      return includes(parseRange(versions), minor) ? [id] : [];
    }),
  }));
  return { name, phases: own.filter(({ tasks }) => tasks.length > 0) };
}

function sequence(name: SequenceName, phases: readonly Phase[]): Sequence {
  return {
    name,
    phases: phases.flatMap((phase) => {
      if (phase === false) return [];
      const [own = "", ...tasks] = phase;
      return [{ name: own, tasks }];
    }),
  };
}

/** What a node does when it boots, installs, reboots, shuts down: phases and their tasks. */

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
  /** Name as events have it. */
  readonly name: SequenceName;
  /** Phases in order; the tasks of one run side by side. */
  readonly phases: readonly {
    /** Name as events have it. */
    readonly name: string;
    /** Tasks as events have them. */
    readonly tasks: readonly string[];
  }[];
}

/** A phase: its name, then its tasks; `false` where the sequence has none. */
type Phase = readonly string[] | false;

/** First half of a boot: everything up to the configuration. */
export const initialize: Sequence = sequence("initialize", [
  ["systemRequirements", "enforceKSPPRequirements"],
  [
    "earlyServices",
    "startUdevd",
    "startMachined",
    "startAuditd",
    "startSyslogd",
    "startContainerd",
  ],
  ["usb", "waitForUSB"],
  ["meta", "reloadMeta"],
  ["dashboard", "startDashboard"],
  ["config", "loadConfig"],
]);

/** Between the halves of a boot, when there is something to install. */
export const install: Sequence = sequence("install", [
  ["env", "setUserEnvVars"],
  ["install", "install"],
  ["meta", "reloadMeta"],
  ["saveMeta", "flushMeta"],
  ["volumeFinalize", "teardownLifecycle"],
  ["stopEverything", "stopAllServices"],
  ["kexec", "kexecPrepare"],
  ["reboot", "reboot"],
]);

/** Second half of a boot: everything up to all services. */
export const boot: Sequence = sequence("boot", [
  ["memorySizeCheck", "memorySizeCheck"],
  ["diskSizeCheck", "diskSizeCheck"],
  ["env", "setUserEnvVars", "waitForCARoots"],
  ["dbus", "startDBus"],
  ["ephemeral", "mountEphemeralPartition"],
  ["udevSetup", "writeUdevRules"],
  ["userDisks", "mountUserDisks"],
  ["userSetup", "writeUserFiles"],
  ["startEverything", "startAllServices"],
]);

/** Orderly reboot. */
export const reboot: Sequence = sequence("reboot", [
  ["cleanup", "stopAllPods"],
  ["dbus", "stopDBus"],
  ...stopAll({ kexec: true }),
  ["reboot", "reboot"],
]);

/** Reboot that stops nothing first. */
export const forcedReboot: Sequence = sequence("reboot", [
  ["reboot", "reboot"],
]);

/** Reboot into a boot that installs. */
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
    ["drain", "cordonAndDrainNode"],
    ["cleanup", "stopAllPods"],
    ["dbus", "stopDBus"],
    ["stopServices", "stopServicesForUpgrade"],
    ["unmount", "unmountPodMounts"],
    ["unmountBind", "unmountSystemDiskBindMounts"],
    ["unmountSystem", "unmountEphemeralPartition"],
    ["volumeFinalize", "teardownLifecycle"],
    ["upgrade", "upgrade"],
    ["meta", "reloadMeta"],
    kexec && ["kexec", "kexecPrepare"],
    ["stopEverything", "stopAllServices"],
    ["reboot", "reboot"],
  ]);
}

/** Orderly shutdown; a forced one leaves the pods where they are. */
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

/** What the phases of a reset depend on. */
export interface ResetPhases extends Kexec {
  /** True when the node leaves its cluster first. */
  readonly graceful: boolean;
  /** True for a member of etcd. */
  readonly isMember: boolean;
  /** What is wiped of the system disk. */
  readonly system: "all" | "partitions" | "none";
  /** True when other disks are wiped. */
  readonly userDisks: boolean;
  /** True for a reboot at the end, false for a shutdown. */
  readonly reboots: boolean;
}

/** Wipes disks and ends in a reboot or a shutdown. */
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

/** Whether the kernel to come is loaded by the one that runs. */
export interface Kexec {
  /** False when the machine starts from its firmware. */
  readonly kexec: boolean;
}

function stopAll({ kexec }: Kexec): readonly Phase[] {
  return [
    ["stopServices", "stopServicesForUpgrade"],
    ["umount", "unmountPodMounts"],
    ["unmountBind", "unmountSystemDiskBindMounts"],
    ["unmountSystem", "unmountEphemeralPartition"],
    ["volumeFinalize", "teardownLifecycle"],
    kexec && ["kexec", "kexecPrepare"],
    ["stopEverything", "stopAllServices"],
  ];
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

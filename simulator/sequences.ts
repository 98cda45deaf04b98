/** What a node does when it boots, reboots or shuts down: phases and their tasks. */

/** A named list of phases. */
export interface Sequence {
  /** Name as events have it. */
  readonly name: string;
  /** Phases in order; the tasks of one run side by side. */
  readonly phases: readonly {
    /** Name as events have it. */
    readonly name: string;
    /** Tasks as events have them. */
    readonly tasks: readonly string[];
  }[];
}

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

const stopAll: readonly (readonly string[])[] = [
  ["stopServices", "stopServicesForUpgrade"],
  ["umount", "unmountPodMounts"],
  ["unmountBind", "unmountSystemDiskBindMounts"],
  ["unmountSystem", "unmountEphemeralPartition"],
  ["volumeFinalize", "teardownLifecycle"],
];

/** Orderly reboot. */
export const reboot: Sequence = sequence("reboot", [
  ["cleanup", "stopAllPods"],
  ["dbus", "stopDBus"],
  ...stopAll,
  ["kexec", "kexecPrepare"],
  ["stopEverything", "stopAllServices"],
  ["reboot", "reboot"],
]);

/** Reboot that stops nothing first. */
export const forcedReboot: Sequence = sequence("reboot", [
  ["reboot", "reboot"],
]);

/** Orderly shutdown. */
export const shutdown: Sequence = sequence("shutdown", [
  ["storeShutdown", "storeShutdownEmergency"],
  ["drain", "cordonAndDrainNode"],
  ["cleanup", "stopAllPods"],
  ["dbus", "stopDBus"],
  ...stopAll,
  ["stopEverything", "stopAllServices"],
  ["shutdown", "shutdown"],
]);

function sequence(
  name: string,
  phases: readonly (readonly string[])[],
): Sequence {
  return {
    name,
    phases: phases.map(([phase = "", ...tasks]) => ({ name: phase, tasks })),
  };
}

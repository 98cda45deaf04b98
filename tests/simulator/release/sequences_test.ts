import assert from "node:assert/strict";
import {
  boot,
  forcedReboot,
  initialize,
  install,
  inVersion,
  reboot,
  reset,
  type Sequence,
  shutdown,
  stageUpgrade,
  upgrade,
} from "../../../simulator/release/sequences.ts";

function phasesOf(sequence: Sequence, minor = 12): readonly string[] {
  return inVersion(sequence, minor).phases.map(({ name }) => name);
}

Deno.test("sequences end with what they are for", () => {
  const all = [
    initialize,
    install,
    boot,
    reboot,
    forcedReboot,
    shutdown({ forced: false }),
    upgrade({ kexec: true }),
    stageUpgrade({ kexec: true }),
  ];
  const ends = all.map((sequence) => {
    const { name, phases } = inVersion(sequence, 12);
    return `${name}: ${phases.at(-1)?.tasks.at(-1)}`;
  });
  assert.deepEqual(ends, [
    "initialize: loadConfig",
    "install: reboot",
    "boot: startAllServices",
    "reboot: reboot",
    "reboot: reboot",
    "shutdown: shutdown",
    "upgrade: reboot",
    "stageUpgrade: reboot",
  ]);
  assert.equal(forcedReboot.phases.length, 1);
});

Deno.test("a forced shutdown drains nothing", () => {
  assert.deepEqual(phasesOf(shutdown({ forced: false })).slice(0, 3), [
    "storeShutdown",
    "drain",
    "cleanup",
  ]);
  assert.deepEqual(phasesOf(shutdown({ forced: true })).slice(0, 2), [
    "storeShutdown",
    "cleanup",
  ]);
});

Deno.test("an upgrade that starts the machine from its firmware loads no kernel", () => {
  assert.deepEqual(phasesOf(upgrade({ kexec: true })).slice(-5), [
    "upgrade",
    "meta",
    "kexec",
    "stopEverything",
    "reboot",
  ]);
  assert.deepEqual(phasesOf(upgrade({ kexec: false })).slice(-4), [
    "upgrade",
    "meta",
    "stopEverything",
    "reboot",
  ]);
});

Deno.test("a reset leaves, wipes and ends as it is given", () => {
  const stop = [
    "stopServices",
    "umount",
    "unmountBind",
    "unmountSystem",
    "volumeFinalize",
  ];
  const phases = {
    graceful: true,
    isMember: true,
    system: "all",
    userDisks: false,
    reboots: false,
    kexec: false,
  } as const;
  assert.deepEqual(phasesOf(reset(phases)), [
    "drain",
    "cleanup",
    "dbus",
    "leave",
    "preReset",
    ...stop,
    "stopEverything",
    "forceCleanup",
    "reset",
    "shutdown",
  ]);
  assert.deepEqual(
    phasesOf(reset({
      graceful: false,
      isMember: true,
      system: "partitions",
      userDisks: true,
      reboots: true,
      kexec: true,
    })),
    [
      "cleanup",
      "dbus",
      "preReset",
      ...stop,
      "kexec",
      "stopEverything",
      "forceCleanup",
      "resetSpec",
      "resetUserDisks",
      "reboot",
    ],
  );
  const [, worker] = reset({ ...phases, isMember: false }).phases;
  assert.deepEqual(worker?.tasks, ["removeAllPods"]);
  assert.ok(!phasesOf(reset({ ...phases, isMember: false })).includes("leave"));
});

Deno.test("versions have phases and tasks of their own", () => {
  const early = (minor: number) =>
    inVersion(initialize, minor).phases.find(({ name }) =>
      name === "earlyServices"
    )?.tasks.slice(0, 4);
  assert.deepEqual([8, 12, 13, 14].map(early), [
    ["startUdevd", "startMachined", "startSyslogd", "startContainerd"],
    ["startUdevd", "startMachined", "startAuditd", "startSyslogd"],
    ["startUdevd", "startMachined", "startApid", "startAuditd"],
    ["startMachined", "waitForUdevd", "startApid", "startAuditd"],
  ]);
  assert.deepEqual(phasesOf(initialize, 9), [
    ...["systemRequirements", "earlyServices", "usb", "meta", "dashboard"],
    ...["mountSystem", "config", "unmountSystem"],
  ]);
  assert.deepEqual(phasesOf(boot, 9).slice(0, 4), [
    ...["saveStateEncryptionConfig", "mountState", "saveConfig"],
    "memorySizeCheck",
  ]);
  assert.deepEqual([9, 13, 14].map((minor) => phasesOf(reboot, minor)), [
    [
      ...["cleanup", "dbus", "stopServices", "unmountUser", "umount"],
      ...["unmountBind", "unmountSystem", "volumeFinalize", "kexec"],
      ...["stopEverything", "reboot"],
    ],
    [
      ...["cleanup", "dbus", "stopServices", "umount", "unmountBind"],
      ...["unmountSystem", "volumeFinalize", "kexec", "stopEverything"],
      "reboot",
    ],
    [
      ...["cleanup", "dbus", "denyNewServices", "stopServices", "umount"],
      ...["unmountBind", "unmountPromotable", "unmountSystem"],
      ...["volumeFinalize", "stopEverything", "kexec", "reboot"],
    ],
  ]);
});

import assert from "node:assert/strict";
import {
  boot,
  forcedReboot,
  initialize,
  install,
  reboot,
  reset,
  type Sequence,
  shutdown,
  stageUpgrade,
  upgrade,
} from "../../../simulator/boot/sequences.ts";

function phasesOf({ phases }: Sequence): readonly string[] {
  return phases.map(({ name }) => name);
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
  const ends = all.map(({ name, phases }) =>
    `${name}: ${phases.at(-1)?.tasks.at(-1)}`
  );
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

import assert from "node:assert/strict";
import {
  boot,
  forcedReboot,
  initialize,
  reboot,
  shutdown,
} from "../../simulator/sequences.ts";

Deno.test("sequences end with what they are for", () => {
  const ends = [initialize, boot, reboot, forcedReboot, shutdown].map((
    { name, phases },
  ) => `${name}: ${phases.at(-1)?.tasks.at(-1)}`);
  assert.deepEqual(ends, [
    "initialize: loadConfig",
    "boot: startAllServices",
    "reboot: reboot",
    "reboot: reboot",
    "shutdown: shutdown",
  ]);
  assert.equal(forcedReboot.phases.length, 1);
});

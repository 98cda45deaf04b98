import assert from "node:assert/strict";
import { messageKeys } from "../../../transport/stream/kernel_messages.ts";

Deno.test("messageKeys gives text and the microseconds since the message before", () => {
  const lines = [
    "kern:    info: [2026-01-02T03:04:05Z]: one",
    "kern:    info: [2026-01-02T03:04:05.000001Z]: two",
    " SUBSYSTEM=pci",
    "user: warning: [2026-01-02T03:04:06.5Z]: [talos] three: [x]: y",
    "kern:    info: [2026-01-02T05:04:06.123456789+02:00]: four",
    "",
  ];
  assert.deepEqual(lines.map(messageKeys()), [
    "kern:    info: : one",
    "+1 kern:    info: : two",
    " SUBSYSTEM=pci",
    "+1499999 user: warning: : [talos] three: [x]: y",
    "+-376543 kern:    info: : four",
    "",
  ]);
});

Deno.test("messageKeys are the same in a reading that takes the boot to be later", () => {
  const early = [
    "kern:    info: [2026-01-02T03:04:05.999999123Z]: one",
    "kern:    info: [2026-01-02T03:04:06.000001123Z]: two",
  ];
  const late = [
    "kern:    info: [2026-01-02T03:04:06.7Z]: one",
    "kern:    info: [2026-01-02T03:04:06.700002Z]: two",
  ];
  assert.deepEqual(early.map(messageKeys()), late.map(messageKeys()));
});

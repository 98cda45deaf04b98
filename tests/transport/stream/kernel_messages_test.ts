import assert from "node:assert/strict";
import { withoutTime } from "../../../transport/stream/kernel_messages.ts";

Deno.test("withoutTime leaves all of a kernel message but its time", () => {
  const lines = [
    "kern:    info: [2026-01-02T03:04:05Z]: one",
    " SUBSYSTEM=pci",
    "user: warning: [2026-01-02T03:04:06.5Z]: [talos] three: [x]: y",
    "kern:    info: [2026-01-02T05:04:06.123456789+02:00]: four [2026-01-02T03:04:05Z]: five",
    "",
  ];
  assert.deepEqual(lines.map(withoutTime), [
    "kern:    info: : one",
    " SUBSYSTEM=pci",
    "user: warning: : [talos] three: [x]: y",
    "kern:    info: : four [2026-01-02T03:04:05Z]: five",
    "",
  ]);
});

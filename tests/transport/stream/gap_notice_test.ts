import assert from "node:assert/strict";
import { gapLine } from "../../../transport/stream/gap_notice.ts";

Deno.test("gapLine names the node, what happened and when", () => {
  assert.equal(
    gapLine("10.0.0.2", {
      kind: "gap",
      reason: "node rebooted",
      since: new Date("2026-01-02T03:04:05Z"),
      at: new Date("2026-01-02T03:05:00.5Z"),
    }),
    "--- 10.0.0.2: node rebooted, gap from 2026-01-02T03:04:05.000Z to 2026-01-02T03:05:00.500Z ---",
  );
});

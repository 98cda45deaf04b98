import assert from "node:assert/strict";
import { lineText } from "../../../../terminal/screen_line.ts";
import {
  gauge,
  sparkline,
} from "../../../../workflows/dashboard/pages/layout.ts";

Deno.test("bars grow with their values", () => {
  assert.equal(sparkline([0, 1, 4, 8], 6), "  ▁▁▄█");
  assert.equal(sparkline([1, 2, 3], 2), "▆█");
  assert.equal(sparkline([0.5], 1, 1), "▄");
  assert.equal(sparkline([0, 0], 2), "▁▁");
  assert.equal(sparkline([1, 2], 0), "");
  assert.equal(lineText(gauge("CPU", 0.5, 23)), "CPU [#####     ]  50.0%");
  assert.equal(lineText(gauge("CPU", 0.5, 3)), "CPU []  50.0%");
});

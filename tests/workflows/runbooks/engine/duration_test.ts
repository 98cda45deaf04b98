import assert from "node:assert/strict";
import { durationMs } from "../../../../workflows/runbooks/engine/duration.ts";

Deno.test("durations are milliseconds", () => {
  assert.deepEqual(
    ["0", "0s", "500ms", "90s", "1h30m", "24h0m0s"].map(durationMs),
    [0, 0, 500, 90_000, 5_400_000, 86_400_000],
  );
});

Deno.test("duration: an unchecked value is a programming error", () => {
  for (const text of ["", "soon", "5", "5 s", "null"]) {
    const message = `"${text}" is not a duration`;
    assert.throws(() => durationMs(text), { name: "TypeError", message });
  }
});

import assert from "node:assert/strict";
import { pause } from "../../lib/pause.ts";

Deno.test("pause takes as long as asked", async () => {
  const began = performance.now();
  await pause(30);
  assert.ok(performance.now() - began >= 28);
  await pause(-1);
});

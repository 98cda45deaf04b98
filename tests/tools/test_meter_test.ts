import assert from "node:assert/strict";
import { threadMs } from "../../tools/test_meter.ts";
import { linux, needs } from "../_needs.ts";

/** Computes for a tenth of a second or so. */
const busy = `
  let sum = 0;
  for (let at = 0; at < 1e8; at++) sum += at % 7;
  globalThis.postMessage?.(sum);
`;

Deno.test({
  name:
    "threadMs counts what its thread computes, and nothing of other threads",
  ...needs(linux),
  async fn() {
    const began = threadMs();
    const worker = new Worker(
      `data:text/javascript,${encodeURIComponent(busy)}`,
      { type: "module" },
    );
    await new Promise((resolve) => worker.onmessage = resolve);
    worker.terminate();
    const waited = threadMs() - began;
    const before = threadMs();
    new Function(busy)();
    const computed = threadMs() - before;
    assert.ok(waited < computed, `${waited} ms, ${computed} ms`);
  },
});

import assert from "node:assert/strict";
import type { SandboxReply } from "../../../../../workflows/runbooks/language/typescript/sandbox.ts";
import sandbox from "../../../../../workflows/runbooks/language/typescript/sandbox.ts" with {
  type: "text",
};

Deno.test("a worker that has rights calls no program", async () => {
  const blob = new Blob([sandbox], { type: "application/typescript" });
  const url = URL.createObjectURL(blob);
  const worker = new Worker(url, {
    type: "module",
    deno: { permissions: { env: true, net: true } },
  });
  const { promise, resolve } = Promise.withResolvers<SandboxReply>();
  worker.onmessage = ({ data }) => resolve(data);
  worker.postMessage({ library: "blob:none", program: "blob:none" });
  try {
    assert.deepEqual(await promise, { rights: ["net", "env"] });
  } finally {
    worker.terminate();
    URL.revokeObjectURL(url);
  }
});

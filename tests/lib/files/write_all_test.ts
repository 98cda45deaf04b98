import assert from "node:assert/strict";
import { writeAll } from "../../../lib/files/write_all.ts";

Deno.test("writeAll continues until the writer has taken everything", async () => {
  const written: number[] = [];
  const calls: number[] = [];
  const file = {
    write(bytes: Uint8Array) {
      calls.push(bytes.length);
      const taken = bytes.subarray(0, 2);
      written.push(...taken);
      return Promise.resolve(taken.length);
    },
  };
  await writeAll(file, Uint8Array.of(1, 2, 3, 4, 5));
  assert.deepEqual(written, [1, 2, 3, 4, 5]);
  assert.deepEqual(calls, [5, 3, 1]);
});

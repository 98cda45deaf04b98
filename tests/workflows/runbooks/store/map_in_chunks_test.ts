import assert from "node:assert/strict";
import { mapInChunks } from "../../../../workflows/runbooks/store/map_in_chunks.ts";

Deno.test("work on many things is done on sixteen at a time, in their order", async () => {
  let [open, most, startedAt] = [0, 0, 0];
  async function work(thing: number): Promise<number> {
    startedAt++;
    most = Math.max(most, ++open);
    await new Promise((go) => setTimeout(go, thing % 2));
    open--;
    return -thing;
  }
  const things = Array.from({ length: 40 }, (_, i) => i);
  const results = await Array.fromAsync(mapInChunks(things, work));
  assert.deepEqual(results, things.map((thing) => -thing));
  assert.equal(most, 16);
  startedAt = 0;
  for await (const _ of mapInChunks(things, work)) break;
  assert.equal(startedAt, 16);
});

import assert from "node:assert/strict";
import { aborted } from "../../../simulator/clock/aborted.ts";

Deno.test("the wait ends when the signal aborts, not before", async () => {
  const end = new AbortController();
  let isOver = false;
  const wait = aborted(end.signal).then(() => isOver = true);
  await Promise.resolve();
  await Promise.resolve();
  assert.equal(isOver, false);
  end.abort();
  await wait;
});

Deno.test("a signal that has aborted is not waited for", async () => {
  assert.equal(await aborted(AbortSignal.abort()), undefined);
});

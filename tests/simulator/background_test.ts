import assert from "node:assert/strict";
import { createBackground } from "../../simulator/background.ts";

Deno.test("settled waits for what goes on, and for what that begins", async () => {
  const { work, settled } = createBackground();
  const seen: string[] = [];
  work((async () => {
    await Promise.resolve();
    seen.push("first");
    work(Promise.resolve().then(() => void seen.push("second")));
  })());
  await settled();
  assert.deepEqual(seen, ["first", "second"]);
});

Deno.test("settled fails once with what went wrong", async () => {
  const { work, settled } = createBackground();
  work(Promise.reject(new Error("no power")));
  await assert.rejects(settled(), new Error("no power"));
  await settled();
});

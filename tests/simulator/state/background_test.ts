import assert from "node:assert/strict";
import { createBackground } from "../../../simulator/state/background.ts";

Deno.test("settled waits for what is running, and for what that begins", async () => {
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

Deno.test("settled does not wait for a task that waits, unless something wakes it", async () => {
  const { work, idle, settled, ended } = createBackground();
  const seen: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  work((async () => {
    await idle(promise);
    await Promise.resolve();
    seen.push("woken");
  })());
  await settled();
  assert.deepEqual(seen, []);
  work(Promise.resolve().then(resolve));
  await settled();
  assert.deepEqual(seen, ["woken"]);
  await ended();
});

Deno.test("ended waits for a task that waits", async () => {
  const { work, idle, ended } = createBackground();
  const seen: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  work(idle(promise).then(() => void seen.push("woken")));
  const end = ended().then(() => void seen.push("ended"));
  resolve();
  await end;
  assert.deepEqual(seen, ["woken", "ended"]);
});

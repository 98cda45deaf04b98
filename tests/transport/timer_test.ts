import assert from "node:assert/strict";
import { after } from "../../transport/timer.ts";

Deno.test("after runs once, unless it is forgotten", async () => {
  const ran: string[] = [];
  const forget = after(1, () => ran.push("forgotten"));
  forget();
  forget();
  await new Promise<void>((resolve) => {
    // It keeps no process alive by itself.
    const alive = setTimeout(() => {}, 10_000);
    after(5, () => {
      ran.push("run");
      clearTimeout(alive);
      resolve();
    });
  });
  assert.deepEqual(ran, ["run"]);
});

Deno.test("after takes any time", () => {
  after(Number.MAX_SAFE_INTEGER, () => {})();
});

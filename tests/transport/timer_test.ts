import assert from "node:assert/strict";
import { after } from "../../transport/timer.ts";

Deno.test("after runs once, unless it is forgotten", async () => {
  const ran: string[] = [];
  const forget = after(1, () => ran.push("forgotten"));
  forget();
  forget();
  await new Promise<void>((resolve) => {
    after(5, () => {
      ran.push("run");
      resolve();
    });
    setTimeout(() => {}, 50); // it keeps no process alive by itself
  });
  assert.deepEqual(ran, ["run"]);
});

Deno.test("after takes any time", () => {
  after(Number.MAX_SAFE_INTEGER, () => {})();
});

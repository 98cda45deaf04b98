import assert from "node:assert/strict";
import { sayNext } from "../../../commands/cluster/_created.ts";

Deno.test("sayNext names the cluster where it is not the usual one", () => {
  const said: string[] = [];
  sayNext("os-default", { note: (text) => void said.push(text) });
  sayNext("lab", { note: (text) => void said.push(text) });
  assert.deepEqual(said, [
    "hint: Check it with: osctl health",
    "hint: Destroy it with: osctl cluster destroy",
    "hint: Check it with: osctl health",
    "hint: Destroy it with: osctl cluster destroy --name lab",
  ]);
});

import assert from "node:assert/strict";
import { exists } from "../../../config/files/exists.ts";

Deno.test("exists tells files and folders from nothing", async () => {
  assert.equal(await exists(import.meta.dirname ?? ""), true);
  assert.equal(await exists(import.meta.filename ?? ""), true);
  assert.equal(await exists(`${import.meta.dirname}/nothing`), false);
});

import assert from "node:assert/strict";
import { collectInitials } from "../../../workflows/modules/module.ts";

Deno.test("fields that have a value when none is given are made again", () => {
  const fields = {
    on: { type: "bool", summary: "On", initial: false },
    name: { type: "string", summary: "Name" },
  } as const;
  assert.deepEqual(collectInitials(fields), { on: false });
  assert.notEqual(collectInitials(fields), collectInitials(fields));
});

import assert from "node:assert/strict";
import { ethernet } from "../../../../config/documents/network/ethernet.ts";

Deno.test("EthernetConfig: zero and false of rings and channels are kept", () => {
  for (const name of ["rings", "channels"]) {
    const { shape } = ethernet.fields[name] ?? {};
    assert.ok(shape?.shape === "struct");
    const fields = Object.values(shape.fields);
    assert.notEqual(fields.length, 0);
    assert.ok(fields.every(({ optional }) => optional));
  }
});

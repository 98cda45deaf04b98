import assert from "node:assert/strict";
import { withoutFields } from "../../../simulator/release/version_facts.ts";

Deno.test("fields of other versions are left out, through lists; what has none stays the same", () => {
  const message = { messages: [{ id: "a", uid: "b", deep: { x: 1, y: 2 } }] };
  assert.deepEqual(
    withoutFields(message, {
      "messages.uid": [9],
      "messages.deep.x": [0, 7],
      "messages.id": [8],
      "nothing.here": [9],
    }, 8),
    { messages: [{ id: "a", deep: { y: 2 } }] },
  );
  assert.equal(withoutFields(message, { "messages.uid": [8] }, 8), message);
  assert.equal(withoutFields(message, { "messages.other": [9] }, 8), message);
  assert.equal(withoutFields("text", { a: [9] }, 8), "text");
});

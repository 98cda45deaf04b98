import assert from "node:assert/strict";
import { schemaName, starter } from "../../../commands/runbook/_starter.ts";

Deno.test("a new runbook names its schema and itself", () => {
  const text = starter("restart");
  assert.ok(
    text.startsWith(`# yaml-language-server: $schema=${schemaName}\n`),
  );
  assert.match(text, /^name: restart$/m);
  assert.match(text, /osctl runbook check restart\.runbook\.yaml/);
});

import assert from "node:assert/strict";
import { stepSite } from "../../../workflows/ca/step_site.ts";
import type { Site } from "../../../workflows/operation.ts";

Deno.test("a site of a run has a room, and others are a bug", () => {
  const site = { node: "a", room: {} } as unknown as Site; // no more is looked at
  assert.equal(stepSite(site), site);
  const { room: _, ...bare } = site as Site & { room: unknown };
  assert.throws(() => stepSite(bare), TypeError);
});

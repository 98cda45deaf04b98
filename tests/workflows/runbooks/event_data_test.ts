import assert from "node:assert/strict";
import { eventTypes } from "../../../workflows/runbooks/event.ts";
import { eventShapes } from "../../../workflows/runbooks/event_data.ts";

Deno.test("the documentation lists every kind of event with what it says", async () => {
  const url = new URL("../../../docs/runbooks/watching.md", import.meta.url);
  const lines = (await Deno.readTextFile(url)).split("\n");
  for (const type of eventTypes) {
    const row = lines.find((line) => line.startsWith(`| \`${type}\` `));
    const reported = row?.split("|")[3]?.replace(/\(.*\)/, "") ?? "no row";
    const names = [...reported.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    assert.deepEqual(names, Object.keys(eventShapes[type].data), type);
  }
});

import assert from "node:assert/strict";
import {
  eventsPath,
  openEventFile,
  parseEvents,
  readEvents,
} from "../../../../workflows/runbooks/store/event_file.ts";
import { withFolder } from "../../../_folder.ts";
import { event } from "../report/_streams.ts";
import { ConfigError } from "../../../../errors.ts";
const unheard = (text: string) => assert.fail(text);

Deno.test("a line that was truncated is taken away by the next process", () => {
  const whole = `${JSON.stringify(event("run.started", 0))}\n`;
  return withFolder({
    "events.jsonl": `${whole}{"v":1,"seq"`,
  }, async (folder) => {
    const path = eventsPath(folder);
    assert.equal((await Array.fromAsync(readEvents(path))).length, 1);
    {
      await using file = await openEventFile(folder, unheard);
      await file.add(event("run.resumed", 2));
    }
    assert.equal(
      await Deno.readTextFile(path),
      `${whole}${JSON.stringify(event("run.resumed", 2))}\n`,
    );
  });
});

Deno.test("events that cannot be written are reported once, and no reason to stop", async () => {
  const reported: string[] = [];
  await withFolder({}, async (folder) => {
    // A device that is always full.
    await Deno.symlink("/dev/full", eventsPath(folder));
    await using file = await openEventFile(
      folder,
      (text) => reported.push(text),
    );
    await file.add(event("run.started", 0));
    await file.add(event("run.ended", 1));
  });
  assert.equal(reported.length, 1);
  assert.match(reported[0]!, /^warning: events are no longer written: /);
});

const note = event("note", 0, { data: { message: "all is well" } });

const wrong: Readonly<Record<string, string>> = {
  "no JSON": "hello",
  "no object": "null",
  "another format": JSON.stringify({ ...note, v: 2 }),
  "no kind": JSON.stringify({ ...note, type: 1 }),
  "no run": JSON.stringify({ ...note, run: 1 }),
  "no time": JSON.stringify({ ...note, ts: "noon" }),
  "no data": JSON.stringify({ ...note, data: null }),
  "a path that is not text": JSON.stringify({ ...note, path: 1 }),
  "a node that is not text": JSON.stringify({ ...note, node: {} }),
};

for (const [name, line] of Object.entries(wrong)) {
  Deno.test(`parseEvents refuses ${name}, and names the line`, () => {
    assert.throws(
      () => parseEvents(`${JSON.stringify(note)}\n${line}\n`, "e.jsonl"),
      (error) =>
        error instanceof ConfigError &&
        error.message === `Cannot read "e.jsonl": line 2 is not an event`,
    );
  });
}

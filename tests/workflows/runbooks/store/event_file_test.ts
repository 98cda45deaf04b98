import assert from "node:assert/strict";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import {
  eventsPath,
  openEventFile,
  parseEvents,
  readEvents,
} from "../../../../workflows/runbooks/store/event_file.ts";
import { withFolder } from "../../../_folder.ts";
import { event, goldenStream } from "../report/_streams.ts";
import { ConfigError } from "../../../../errors.ts";

const signal = new AbortController().signal;
const unheard = (text: string) => assert.fail(text);

Deno.test("events of a run are read as they were reported, over processes", () =>
  withFolder({}, async (folder) => {
    const path = eventsPath(folder);
    assert.equal(path, `${folder}/events.jsonl`);
    assert.deepEqual(await Array.fromAsync(readEvents(path)), []);
    {
      await using file = await openEventFile(folder, unheard);
      file.add(event("run.started", 0));
      file.add(event("run.ended", 1));
    }
    {
      await using file = await openEventFile(folder, unheard);
      await file.add(event("run.resumed", 2));
    }
    assert.deepEqual(await Array.fromAsync(readEvents(path)), [
      event("run.started", 0),
      event("run.ended", 1),
      event("run.resumed", 2),
    ]);
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  }));

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

Deno.test("events that are reported later are read until the run is over", () =>
  withFolder({}, async (folder) => {
    await using file = await openEventFile(folder, unheard);
    const seen: RunEvent[] = [];
    let looks = 0;
    const follow = {
      async goesOn() {
        looks++;
        // What is reported together with the end must not be lost.
        await file.add(event("note", looks));
        return looks < 3;
      },
      signal,
    };
    for await (const one of readEvents(eventsPath(folder), follow)) {
      seen.push(one);
    }
    assert.deepEqual(seen, [1, 2, 3].map((at) => event("note", at)));
  }));

Deno.test("following ends when it is no longer wanted", () =>
  withFolder({}, async (folder) => {
    const stop = new AbortController();
    const follow = {
      goesOn() {
        stop.abort();
        return Promise.resolve(true);
      },
      signal: stop.signal,
    };
    const path = eventsPath(folder);
    assert.deepEqual(await Array.fromAsync(readEvents(path, follow)), []);
  }));

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

Deno.test("parseEvents reads what was written, but for a line that was broken off", async () => {
  const events = await goldenStream("partial");
  const text = events.map((one) => `${JSON.stringify(one)}\n`).join("");
  assert.deepEqual(parseEvents(`${text}{"v":1,"se`, "e.jsonl"), events);
  assert.deepEqual(parseEvents("", "e.jsonl"), []);
});

Deno.test("parseEvents omits kinds it does not know", () => {
  const later = JSON.stringify({ ...note, type: "step.dreamt" });
  const text = `${later}\n${JSON.stringify(note)}\n`;
  assert.deepEqual(parseEvents(text, "e.jsonl"), [note]);
});

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

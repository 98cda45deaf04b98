import assert from "node:assert/strict";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import {
  eventsPath,
  openEventFile,
  readEvents,
} from "../../../../workflows/runbooks/store/event_file.ts";
import { withFolder } from "../../../_folder.ts";
import { event } from "../report/_streams.ts";

const signal = new AbortController().signal;
const unheard = (text: string) => assert.fail(text);

Deno.test("events of a run are read as they were told, over processes", () =>
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

Deno.test("a line that was cut off is taken away by the next process", () => {
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

Deno.test("events that are told later are read until the run is over", () =>
  withFolder({}, async (folder) => {
    await using file = await openEventFile(folder, unheard);
    const seen: RunEvent[] = [];
    let looks = 0;
    const follow = {
      async goesOn() {
        looks++;
        // What is told together with the end must not be lost.
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

Deno.test("events that cannot be written are told once, and no reason to stop", async () => {
  const told: string[] = [];
  await withFolder({}, async (folder) => {
    // A device that is always full.
    await Deno.symlink("/dev/full", eventsPath(folder));
    await using file = await openEventFile(folder, (text) => told.push(text));
    await file.add(event("run.started", 0));
    await file.add(event("run.ended", 1));
  });
  assert.equal(told.length, 1);
  assert.match(told[0]!, /^warning: events are no longer written: /);
});

import assert from "node:assert/strict";
import { makeEventFeed } from "../../../../workflows/runbooks/run/event_feed.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { type LooseEvent, wholeEvent } from "../_records.ts";

function build(mask: (text: string) => string = (text) => text) {
  const taken: RunEvent[] = [];
  const feed = makeEventFeed({
    run: "r1",
    now: () => new Date("2026-11-20T19:30:00Z"),
    mask,
    take: (event) => void taken.push(event),
  });
  const emit = (event: LooseEvent) => feed.emit(wholeEvent(event));
  return { feed, emit, taken };
}

Deno.test("a feed hides secrets before anybody sees them", () => {
  const { emit, taken } = build((text) =>
    text.replaceAll("hunter22", "******")
  );
  emit({ type: "note", data: { message: "it is hunter22" } });
  assert.deepEqual(taken[0]?.data, { message: "it is ******" });
});

Deno.test("a feed tells when its reader has taken all", async () => {
  const { feed, emit } = build();
  await feed.taken();
  emit({ type: "note", data: { message: "one" } });
  emit({ type: "note", data: { message: "two" } });
  const seen: unknown[] = [];
  const taken = feed.taken().then(() => seen.push("taken"));
  const reading = (async () => {
    for await (const event of feed.events) {
      seen.push(event.type === "note" && event.data.message);
    }
  })();
  await taken;
  assert.deepEqual(seen, ["one", "two", "taken"]);
  feed.end();
  await reading;
});

Deno.test("a feed that nothing reads any more blocks nothing, and events are still kept", async () => {
  const { feed, emit, taken } = build();
  emit({ type: "note", data: { message: "one" } });
  const waiting = feed.taken();
  feed.left();
  await waiting;
  emit({ type: "note", data: { message: "two" } });
  await feed.taken();
  assert.equal(taken.length, 2);
});

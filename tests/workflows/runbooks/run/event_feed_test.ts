import assert from "node:assert/strict";
import { makeEventFeed } from "../../../../workflows/runbooks/run/event_feed.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { type LooseEvent, wholeEvent } from "../_records.ts";

function made(mask: (text: string) => string = (text) => text) {
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

Deno.test("a feed numbers what is reported and hands it on, then ends", async () => {
  const { feed, emit, taken } = made();
  emit({ type: "run.started", data: { runbook: "demo" } });
  emit({ type: "step.start", path: "a", node: "w-1", attempt: 2, data: {} });
  feed.end();
  const events = await Array.fromAsync(feed.events);
  assert.deepEqual(events, [
    {
      v: 1,
      seq: 1,
      ts: "2026-11-20T19:30:00.000Z",
      run: "r1",
      type: "run.started",
      data: { runbook: "demo" },
    },
    {
      v: 1,
      seq: 2,
      ts: "2026-11-20T19:30:00.000Z",
      run: "r1",
      type: "step.start",
      path: "a",
      node: "w-1",
      attempt: 2,
      data: {},
    },
  ]);
  assert.deepEqual(taken, events);
});

Deno.test("a feed hides secrets before anybody sees them", () => {
  const { emit, taken } = made((text) => text.replaceAll("hunter22", "******"));
  emit({ type: "note", data: { message: "it is hunter22" } });
  assert.deepEqual(taken[0]?.data, { message: "it is ******" });
});

Deno.test("a feed knows which nodes are inside, and at which step", () => {
  const { feed, emit } = made();
  emit({ type: "node.entered", path: "w", node: "w-1" });
  emit({ type: "step.start", path: "w/a", node: "w-1" });
  emit({ type: "step.start", path: "other", node: "w-2" });
  assert.deepEqual([...feed.inside()], [["w-1", "w/a"]]);
  emit({ type: "node.ended", path: "w", node: "w-1" });
  assert.deepEqual([...feed.inside()], []);
});

Deno.test("a feed tells when its reader has taken all", async () => {
  const { feed, emit } = made();
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
  const { feed, emit, taken } = made();
  emit({ type: "note", data: { message: "one" } });
  const waiting = feed.taken();
  feed.left();
  await waiting;
  emit({ type: "note", data: { message: "two" } });
  await feed.taken();
  assert.equal(taken.length, 2);
});

import assert from "node:assert/strict";
import { createEvents, eventTime } from "../../../simulator/state/events.ts";

const machine = "4d88e15b-60f4-9a5b-8412-b2b0d428c90d";

Deno.test("an event's id holds its time, its machine and a counter", () => {
  // The first sixteen digits are those of the example in the format: 9m4e2mr0ui3e8a215n4g.
  const clock = {
    now: () => 0x4d88e15b * 1000 + 999,
    sleep: () => Promise.resolve(),
  };
  const events = createEvents(clock, "60f486e4-2800-0000-0000-000000000000");
  events.publish("TaskEvent", { task: "a" });
  assert.equal(events.at(0).id, "9m4e2mr0ui3e8a000000");
  assert.equal(eventTime(events.at(0).id), 0x4d88e15b * 1000);
  assert.equal(eventTime("9M4E2MR0UI3E8A000000"), undefined);
});

Deno.test("events keep the last 990, and their ids sort", () => {
  const clock = {
    now: () => 1_700_000_000_000,
    sleep: () => Promise.resolve(),
  };
  const events = createEvents(clock, machine);
  for (let count = 0; count < 3000; count++) events.publish("TaskEvent", {});
  assert.deepEqual([events.first(), events.end()], [2010, 3000]);
  const ids = Array.from(
    { length: 990 },
    (_, index) => events.at(2010 + index).id,
  );
  assert.deepEqual([...ids].sort(), ids);
  assert.equal(new Set(ids).size, 990);
});

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import {
  ClosedError,
  untilEvent,
} from "../../../transport/connect/until_event.ts";

const never = new AbortController().signal;

function listeners(emitter: EventEmitter): number {
  return emitter.eventNames().reduce(
    (sum, name) => sum + emitter.listenerCount(name),
    0,
  );
}

const ends = [
  {
    title: "resolves with the event",
    act: (emitter: EventEmitter) => emitter.emit("ready"),
    seen: "resolved",
  },
  {
    title: "raises what the error event carries",
    act: (emitter: EventEmitter) => emitter.emit("error", "broken"),
    seen: "broken",
  },
] as const;

for (const { title, act, seen } of ends) {
  Deno.test(`untilEvent ${title}, and listens no more`, async () => {
    const emitter = new EventEmitter();
    const wait = untilEvent(emitter, "ready", never)
      .then(() => "resolved", (error) => error);
    act(emitter);
    assert.equal(await wait, seen);
    assert.equal(listeners(emitter), 0);
  });
}

Deno.test("untilEvent raises ClosedError when it closes before", async () => {
  const emitter = new EventEmitter();
  const wait = untilEvent(emitter, "ready", never);
  emitter.emit("close");
  await assert.rejects(wait, ClosedError);
});

Deno.test("untilEvent raises the reason of its signal, and listens no more", async () => {
  const emitter = new EventEmitter();
  const controller = new AbortController();
  const wait = untilEvent(emitter, "ready", controller.signal);
  controller.abort("enough");
  await assert.rejects(wait, (reason) => reason === "enough");
  assert.equal(listeners(emitter), 0);
  await assert.rejects(
    untilEvent(emitter, "ready", controller.signal),
    (reason) => reason === "enough",
  );
});

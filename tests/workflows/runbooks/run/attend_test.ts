import assert from "node:assert/strict";
import { emptyHistory } from "../../../../workflows/runbooks/journal/history.ts";
import type { JournalRecord } from "../../../../workflows/runbooks/journal/record.ts";
import { attendInbox } from "../../../../workflows/runbooks/run/attend.ts";
import {
  leaveMessage,
  type Message,
} from "../../../../workflows/runbooks/run/inbox.ts";
import { withFolder } from "../../../_folder.ts";

const sender = { by: "eve@desk", at: "2026-11-20T20:00:00.000Z" };
const never = new AbortController().signal;

/** A run with an inbox, at 20:10. */
async function within(
  messages: readonly Message[],
  test: (run: {
    readonly attend: () => ReturnType<typeof attendInbox>;
    readonly leave: (message: Message) => Promise<void>;
    readonly history: ReturnType<typeof emptyHistory>;
    readonly records: unknown[];
    readonly told: string[];
    readonly stops: unknown[];
  }) => Promise<void>,
): Promise<void> {
  await withFolder({ "inbox/": "" }, async (folder) => {
    const over = new AbortController();
    const history = emptyHistory();
    const records: unknown[] = [];
    const told: string[] = [];
    const stops: unknown[] = [];
    const running: Promise<void>[] = [];
    for (const message of messages) await leaveMessage(folder, message);
    const attend = () => {
      const attendance = attendInbox({
        folder,
        history,
        journal: {
          append(record) {
            records.push(record);
            const { at: ts } = sender;
            const whole = { v: 1, seq: 1, ts, h: "", ...record } as const;
            return Promise.resolve(whole satisfies JournalRecord);
          },
        },
        stop: (hard, { by }) => stops.push([hard, by]),
        note: (text) => told.push(text),
        now: () => new Date("2026-11-20T20:10:00Z"),
        signal: over.signal,
      });
      running.push(attendance.done);
      return attendance;
    };
    const leave = (message: Message) => leaveMessage(folder, message);
    try {
      await test({ attend, leave, history, records, told, stops });
    } finally {
      over.abort();
      await Promise.all(running);
    }
  });
}

Deno.test("an answer that was left is given to who asks for it", () =>
  within([
    { ...sender, type: "approve", tag: "other", approved: false },
    { ...sender, type: "approve", tag: "start", approved: true },
  ], async ({ attend }) => {
    const { answer } = attend();
    assert.deepEqual(await answer({ tag: "start" }, never), {
      approved: true,
      by: "eve@desk",
      how: "inbox",
    });
    assert.deepEqual(await answer({ tag: "other" }, never), {
      approved: false,
      by: "eve@desk",
      how: "inbox",
    });
  }));

Deno.test("what was to be typed must have been typed", () =>
  within([], async ({ attend, leave, told }) => {
    const { answer } = attend();
    const approval = {
      ...sender,
      type: "approve",
      tag: "wipe",
      approved: true,
    } as const;
    const asked = answer({ tag: "wipe", typed: "cp-1" }, never);
    await leave({ ...approval, typed: "cp-2" });
    while (told.length === 0) await new Promise((go) => setTimeout(go, 10));
    assert.deepEqual(told, [
      'The answer of eve@desk to "wipe" does not count: cp-1 was to be typed',
    ]);
    await leave({ ...approval, typed: "cp-1" });
    assert.equal((await asked)?.approved, true);
  }));

Deno.test("an answer counts for an hour, and waiting for one can end", () =>
  within([{
    ...sender,
    at: "2026-11-20T19:09:00.000Z",
    type: "approve",
    tag: "start",
    approved: true,
  }], async ({ attend }) => {
    const late = new AbortController();
    const asked = attend().answer({ tag: "start" }, late.signal);
    setTimeout(() => late.abort(), 600);
    assert.equal(await asked, undefined);
  }));

Deno.test("decisions are written down where the engine looks for them", () =>
  within([{
    ...sender,
    type: "decision",
    verdict: "skip",
    path: "workers/drain",
    node: "w-2",
    reason: "by hand",
  }, {
    ...sender,
    at: "2026-11-20T20:00:01.000Z",
    type: "decision",
    verdict: "redo",
    path: "snapshot",
  }], async ({ attend, records, history, told }) => {
    attend();
    while (told.length < 2) await new Promise((go) => setTimeout(go, 10));
    assert.deepEqual(records, [
      {
        t: "decision",
        p: "workers/drain",
        n: "w-2",
        d: { verdict: "skip", reason: "by hand", by: "eve@desk" },
      },
      {
        t: "decision",
        p: "snapshot",
        d: { verdict: "redo", reason: "", by: "eve@desk" },
      },
    ]);
    assert.equal(
      history.instances.get("workers/drain@w-2")?.decision?.verdict,
      "skip",
    );
    assert.equal(
      told[0],
      "eve@desk decided: skip workers/drain on w-2: by hand",
    );
  }));

Deno.test("a wish to stop is passed on, unless it was meant for an earlier process", () =>
  within([
    { ...sender, type: "stop", hard: false, at: "2026-11-20T20:09:59.000Z" },
    { ...sender, type: "stop", hard: true, at: "2026-11-20T20:10:00.000Z" },
  ], async ({ attend, stops }) => {
    attend();
    while (stops.length === 0) await new Promise((go) => setTimeout(go, 10));
    assert.deepEqual(stops, [[true, "eve@desk"]]);
  }));

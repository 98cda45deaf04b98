import assert from "node:assert/strict";
import type { NewEvent } from "../../../../workflows/runbooks/event.ts";
import {
  ask,
  destructiveMs,
} from "../../../../workflows/runbooks/engine/operator_questions.ts";
import type { Engine } from "../../../../workflows/runbooks/engine/engine.ts";
import type {
  ApprovalAnswer,
  ApprovalRequest,
} from "../../../../workflows/runbooks/engine/engine_options.ts";
import {
  type ApprovalHistory,
  RunHistory,
} from "../../../../workflows/runbooks/journal/history.ts";
import { reportRecords } from "../../../../workflows/runbooks/journal/record_event.ts";
import type { RunJournal } from "../../../../workflows/runbooks/journal/writer.ts";
import type { NewRecord } from "../_records.ts";
import { manualClock } from "../../../simulator/_clock.ts";

const hour = 3_600_000;

const start: ApprovalRequest = {
  tag: "start",
  path: "go",
  message: "Restart 3 nodes?",
  destructive: false,
};

const wipe: ApprovalRequest = {
  tag: "wipe",
  path: "planes/wipe",
  message: "Lose all data of cp-1?",
  destructive: true,
  typed: "cp-1",
};

const yes: ApprovalAnswer = { approved: true, by: "eve", how: "terminal" };

/** A run that asks; `answer` is what it is answered. */
function asking(
  answer: (signal: AbortSignal) => Promise<ApprovalAnswer | undefined>,
  known: Partial<ApprovalHistory> = {},
) {
  const clock = manualClock();
  const history = new RunHistory();
  const approval = { approved: true, destructive: true, by: "eve", at: 0 };
  if (known.at !== undefined) {
    history.approvals.set("go", { ...approval, ...known });
    history.approvals.set("planes/wipe", { ...approval, ...known });
  }
  const records: NewRecord[] = [];
  const reported: unknown[] = [];
  const asked: ApprovalRequest[] = [];
  const soft = new AbortController();
  const hard = new AbortController();
  const journal: RunJournal = {
    append(record) {
      const seq = records.push(record as NewRecord);
      const ts = new Date(clock.now()).toISOString();
      return Promise.resolve({ ...record, seq, ts, previous: "" });
    },
  };
  const emit = (event: NewEvent) => void reported.push(event);
  const engine = {
    clock,
    history,
    journal: reportRecords({ journal, history, emit }),
    stop: { soft: soft.signal, hard: hard.signal },
    ask(request: ApprovalRequest, signal: AbortSignal) {
      asked.push(request);
      return answer(signal);
    },
    destroyApprovedAt: 0,
    // Nobody looks at anything else.
  } as unknown as Engine;
  return { engine, clock, records, reported, asked, soft, hard };
}

/** No answer to before the question is taken back. */
function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined));
  });
}

const noon = 1_772_366_400_000;

Deno.test("a question is written down before it is asked, and its answer before it counts", async () => {
  const { engine, records, reported, asked } = asking(() => {
    assert.deepEqual(records.map(({ type }) => type), ["approval.requested"]);
    return Promise.resolve(yes);
  });
  await ask(engine, start, 24 * hour);
  assert.deepEqual(asked, [start]);
  const answered = { tag: "start", ...yes };
  assert.deepEqual(records, [
    {
      type: "approval.requested",
      path: "go",
      data: {
        tag: "start",
        message: "Restart 3 nodes?",
        destructive: false,
        lastsMs: 24 * hour,
      },
    },
    {
      type: "approval.answered",
      path: "go",
      data: { ...answered, destructive: false },
    },
  ]);
  assert.deepEqual(reported, [
    {
      type: "approval.requested",
      path: "go",
      data: { tag: "start", message: "Restart 3 nodes?", destructive: false },
    },
    { type: "approval.answered", path: "go", data: answered },
  ]);
  assert.equal(engine.destroyApprovedAt, 0);
});

Deno.test("the reason of a refusal is recorded, reported, and ends the run", async () => {
  const reason = "not today";
  const no = { approved: false, by: "eve", how: "inbox", reason };
  const { engine, records, reported } = asking(() => Promise.resolve(no));
  await assert.rejects(ask(engine, start, 24 * hour), {
    why: "disapproved",
    message: '"start" was refused by eve: not today',
  });
  assert.equal(records[1]?.data?.reason, reason);
  assert.deepEqual(reported[1], {
    type: "approval.answered",
    path: "go",
    data: { tag: "start", ...no },
  });
});

Deno.test("where data is lost an answer holds for an hour, and what was typed is requested", async () => {
  const { engine, records } = asking(() => Promise.resolve(yes));
  await ask(engine, wipe, 24 * hour);
  assert.equal(destructiveMs, hour);
  assert.deepEqual(records[0]?.data, {
    tag: "wipe",
    message: "Lose all data of cp-1?",
    destructive: true,
    lastsMs: hour,
    typed: "cp-1",
  });
  assert.equal(records[1]?.data?.destructive, true);
  assert.equal(engine.destroyApprovedAt, noon);
});

Deno.test("an answer that still holds is not asked for again", async () => {
  const never = () => Promise.reject(new Error("Nobody is asked"));
  for (
    const [request, at] of [[start, noon - 2 * hour + 1], [
      wipe,
      noon - hour + 1,
    ]] as const
  ) {
    const { engine, records } = asking(never, { at });
    await ask(engine, request, 2 * hour);
    assert.deepEqual(records, []);
  }
});

Deno.test("an answer to another question, or from before inputs or runbook were changed, is requested again", async () => {
  const { message } = start;
  const other = { message: "Restart 2 nodes?" };
  for (
    const [known, times] of [
      [{ question: { message } }, 0],
      [{ question: other }, 1],
      // The run itself may have changed what the question says.
      [{ question: other, acted: true }, 0],
      [{ question: { message }, outdated: true }, 1],
      [{ question: { message }, acted: true, outdated: true }, 1],
    ] as const
  ) {
    const at = noon - 1;
    const { engine, asked } = asking(() => Promise.resolve(yes), {
      at,
      ...known,
    });
    await ask(engine, start, hour);
    assert.equal(asked.length, times);
  }
});

Deno.test("an answer that has expired, or was no, is requested again", async () => {
  for (
    const [request, known] of [
      [start, { at: noon - 2 * hour }],
      [wipe, { at: noon - hour }],
      [start, { at: noon - 1, approved: false }],
    ] as const
  ) {
    const { engine, asked } = asking(() => Promise.resolve(yes), known);
    await ask(engine, request, 2 * hour);
    assert.equal(asked.length, 1);
  }
});

Deno.test("a no ends the run", async () => {
  const no = { ...yes, approved: false };
  const { engine, records } = asking(() => Promise.resolve(no));
  await assert.rejects(ask(engine, wipe, hour), {
    name: "Halt",
    why: "disapproved",
    message: '"wipe" was refused by eve',
  });
  assert.equal(records[1]?.data?.approved, false);
  assert.equal(engine.destroyApprovedAt, 0);
});

Deno.test("where there is no terminal to ask on the run waits for another process", async () => {
  const { engine, records } = asking(() => Promise.resolve(undefined));
  await assert.rejects(ask(engine, start, hour), {
    name: "Halt",
    why: "approval",
    message: '"start" needs approval: Restart 3 nodes?',
  });
  assert.deepEqual(records.map(({ type }) => type), ["approval.requested"]);
});

Deno.test("a question that is not answered in time is refused", async () => {
  let isTakenBack = false;
  const { engine, clock } = asking(async (signal) => {
    await untilAborted(signal);
    isTakenBack = true;
    return undefined;
  });
  const refused = assert.rejects(ask(engine, start, 2 * hour), {
    name: "Halt",
    why: "disapproved",
    message: /^"start" was not answered within 120 min/,
  });
  // Until it is asked.
  await clock.advance(0);
  await clock.advance(2 * hour - 1);
  assert.equal(isTakenBack, false);
  await clock.advance(1);
  assert.equal(isTakenBack, true);
  await refused;
});

Deno.test("a wish to stop takes the question back", async () => {
  const { engine, soft, clock } = asking(untilAborted);
  const stopped = assert.rejects(ask(engine, start, hour), {
    name: "Halt",
    why: "stop",
    message: "stopped in go",
  });
  await clock.advance(0);
  soft.abort();
  await stopped;
});

Deno.test("a wish not to wait for anything interrupts it", async () => {
  const { engine, soft, hard, clock } = asking(untilAborted);
  const stopped = assert.rejects(ask(engine, start, hour), {
    name: "Halt",
    why: "interrupted",
    message: "interrupted in go",
  });
  await clock.advance(0);
  hard.abort();
  soft.abort();
  await stopped;
});

Deno.test("a question that could not be asked is not an answer", async () => {
  const bug = new TypeError("no terminal");
  const { engine, records } = asking(() => Promise.reject(bug));
  await assert.rejects(ask(engine, start, hour), bug);
  assert.deepEqual(records.map(({ type }) => type), ["approval.requested"]);
});

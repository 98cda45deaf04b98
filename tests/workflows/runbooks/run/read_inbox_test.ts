import assert from "node:assert/strict";
import { RunHistory } from "../../../../workflows/runbooks/journal/history.ts";
import type { NewRecord } from "../_records.ts";
import { attendInbox } from "../../../../workflows/runbooks/run/read_inbox.ts";
import {
  leaveMessage,
  type Message,
} from "../../../../workflows/runbooks/store/inbox.ts";
import { demo } from "../store/_runs.ts";
import { withFolder } from "../../../_folder.ts";

const at = "2026-11-20T20:10:00.000Z";
const sender = { by: "eve@desk", at };

async function attend(messages: readonly Message[]) {
  const history = new RunHistory();
  const records: NewRecord[] = [];
  const answers: string[] = [];
  const stops: boolean[] = [];
  const reported: string[] = [];
  await withFolder({ "inbox/": "" }, async (folder) => {
    for (const message of messages) await leaveMessage(folder, message);
    const over = new AbortController();
    const done = attendInbox({
      folder,
      runbook: demo,
      history,
      journal: {
        append(record) {
          const written = { seq: 1, ts: at, previous: "", ...record } as const;
          records.push(record as NewRecord);
          return Promise.resolve(written);
        },
      },
      answer: ({ tag, approved }) => answers.push(`${tag} ${approved}`),
      stop: ({ hard }) => stops.push(hard),
      note: (text) => reported.push(text),
      now: () => new Date(at),
      signal: over.signal,
    });
    const isEmpty = async () => {
      for await (const _ of Deno.readDir(`${folder}/inbox`)) return false;
      return true;
    };
    while (!await isEmpty()) await new Promise((go) => setTimeout(go, 10));
    over.abort();
    await done;
  });
  return { history, records, answers, stops, reported };
}

Deno.test("a wish to stop is written down, told and passed on", async () => {
  const { stops, records, reported } = await attend([
    { ...sender, type: "stop", hard: false, reason: "lunch" },
    { ...sender, type: "stop", hard: true, at: "2026-11-20T20:10:01.000Z" },
  ]);
  assert.deepEqual(stops, [false, true]);
  assert.deepEqual(records, [
    { type: "stop", data: { hard: false, by: "eve@desk", reason: "lunch" } },
    { type: "stop", data: { hard: true, by: "eve@desk", reason: "" } },
  ]);
  assert.deepEqual(reported, [
    "eve@desk asked the run to stop: lunch",
    "eve@desk asked the run to stop at once",
  ]);
});

Deno.test("decisions are written down where the engine looks for them", async () => {
  const { records, history, reported } = await attend([{
    ...sender,
    at: "2026-11-20T20:00:00.000Z",
    type: "decision",
    verdict: "skip",
    path: "workers/drain",
    node: "w-2",
    reason: "by hand",
  }, { ...sender, type: "decision", verdict: "redo", path: "snapshot" }]);
  assert.deepEqual(records, [
    {
      type: "decision",
      path: "workers/drain",
      node: "w-2",
      data: { verdict: "skip", reason: "by hand", by: "eve@desk" },
    },
    {
      type: "decision",
      path: "snapshot",
      data: { verdict: "redo", reason: "", by: "eve@desk" },
    },
  ]);
  assert.equal(
    history.instances.get("workers/drain@w-2")?.decision?.verdict,
    "skip",
  );
  assert.deepEqual(reported, [
    "eve@desk decided: skip workers/drain on w-2: by hand",
    "eve@desk decided: redo snapshot: ",
  ]);
});

Deno.test("decisions about approvals, and about steps that there are not, are ignored", async () => {
  const { records, history, reported } = await attend([
    { ...sender, type: "decision", verdict: "skip", path: "go" },
    { ...sender, type: "decision", verdict: "done", path: "planes/wipe" },
    { ...sender, type: "decision", verdict: "skip", path: "nope" },
  ]);
  assert.deepEqual([records, [...history.instances]], [[], []]);
  assert.deepEqual(reported.toSorted(), [
    "ignored the decision of eve@desk to done planes/wipe",
    "ignored the decision of eve@desk to skip go",
    "ignored the decision of eve@desk to skip nope",
  ]);
});

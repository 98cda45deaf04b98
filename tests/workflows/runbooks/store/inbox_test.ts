import assert from "node:assert/strict";
import {
  dropWishes,
  leaveMessage,
  type Message,
  takeMessages,
} from "../../../../workflows/runbooks/store/inbox.ts";
import { withFolder } from "../../../_folder.ts";
import { needs, posix } from "../../../_needs.ts";

function stop(by: string, minute = 0): Message {
  const at = `2026-11-20T20:${String(minute).padStart(2, "0")}:00.000Z`;
  return { type: "stop", hard: false, by, at };
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) names.push(name);
  return names.toSorted();
}

function inInbox(test: (folder: string) => Promise<void>): Promise<void> {
  return withFolder({ "inbox/": "" }, test);
}

Deno.test({
  name: "messages are readable by nobody else",
  ...needs(posix),
  fn: () =>
    inInbox(async (folder) => {
      await leaveMessage(folder, stop("eve@desk"));
      const [name = ""] = await namesIn(`${folder}/inbox`);
      assert.match(name, /^stop-[0-9a-f]{8}\.json$/);
      const { mode } = await Deno.stat(`${folder}/inbox/${name}`);
      assert.equal(mode! & 0o777, 0o600); // not on Windows
    }),
});

Deno.test("inbox: partial files and other files stay", () =>
  inInbox(async (folder) => {
    const inbox = `${folder}/inbox`;
    await Deno.writeTextFile(`${inbox}/.stop-1.json.ab12.tmp`, "{");
    await Deno.writeTextFile(`${inbox}/.hidden.json`, "{}");
    await Deno.writeTextFile(`${inbox}/half.json`, '{"type":');
    await leaveMessage(folder, stop("eve@desk"));
    assert.deepEqual(await takeMessages(folder), [stop("eve@desk")]);
    assert.deepEqual(await namesIn(inbox), [
      ".hidden.json",
      ".stop-1.json.ab12.tmp",
      "half.json",
    ]);
  }));

Deno.test("dropWishes removes wishes to stop, and nothing else", () =>
  withFolder({ "inbox/": "" }, async (folder) => {
    await leaveMessage(folder, stop("eve@desk"));
    const answer: Message = {
      type: "approve",
      tag: "start",
      approved: true,
      by: "eve@desk",
      at: "2026-11-20T20:00:00.000Z",
    };
    await leaveMessage(folder, answer);
    await dropWishes(folder);
    assert.deepEqual(await takeMessages(folder), [answer]);
  }));

Deno.test("inbox: messages with missing or invalid fields stay", () =>
  inInbox(async (folder) => {
    const at = "2026-11-20T20:00:00.000Z";
    const approval = { type: "approve", tag: "a", approved: true, by: "e", at };
    const skip = { type: "decision", verdict: "skip", path: "a", by: "e", at };
    const wrong: readonly unknown[] = [
      null,
      {},
      { ...approval, approved: "yes" },
      { ...approval, tag: undefined },
      { ...approval, at: "soon" },
      { ...approval, by: undefined },
      { ...approval, typed: 1 },
      { ...skip, verdict: "approve" },
      { ...skip, path: 1 },
      { ...stop("eve"), hard: undefined },
      { ...stop("eve"), type: "start" },
    ];
    for (const [i, message] of wrong.entries()) {
      const path = `${folder}/inbox/${i}.json`;
      await Deno.writeTextFile(path, JSON.stringify(message));
    }
    assert.deepEqual(await takeMessages(folder), []);
    assert.equal((await namesIn(`${folder}/inbox`)).length, wrong.length);
  }));

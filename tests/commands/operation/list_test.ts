import assert from "node:assert/strict";
import { beginJournal } from "../../../workflows/operations/journal_file.ts";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";

const begin = {
  operation: "reboot",
  input: { mode: "default" },
  nodes: ["a", "b"],
  context: "lab",
  allow: [],
  waitMs: 0,
};

Deno.test("operation list omits what has ended, unless asked for all", async () => {
  await withFolder({}, async (folder) => {
    const env = { OS_HOME: folder };
    const at = () => new Date("2026-01-02T03:03:05Z");
    let id = "";
    {
      using journal = await beginJournal(`${folder}/operations`, begin, at);
      id = journal.id;
      await journal.append({ type: "end" });
    }
    const none = await run("operation list", {}, { env });
    assert.equal(
      none.out,
      "ID   OPERATION   CONTEXT   STATE   STARTED   FINISHED\n",
    );
    const all = await run("operation list --all -o jsonl", {}, { env });
    assert.deepEqual(JSON.parse(all.out), {
      id,
      operation: "reboot",
      context: "lab",
      state: "ended",
      startedAt: "2026-01-02T03:03:05.000Z",
      finished: 0,
      nodes: ["a", "b"],
    });
  });
});

Deno.test("operation list shows operations whose end was not seen as unfinished", async () => {
  await withFolder({}, async (folder) => {
    const env = { OS_HOME: folder };
    const now = () => new Date("2026-01-02T03:03:05Z");
    {
      using journal = await beginJournal(`${folder}/operations`, begin, now);
      const ended = { type: "outcome", reason: "" } as const;
      await journal.append({ ...ended, node: "a", outcome: "done" });
      await journal.append({ ...ended, node: "b", outcome: "never-returned" });
      await journal.append({ type: "end" });
    }
    const { out } = await run("operation list -o jsonl", {}, { env });
    const { state, finished } = JSON.parse(out);
    assert.deepEqual([state, finished], ["unfinished", 1]);
  });
});

Deno.test("operation list tells what another process is at", async () => {
  await withFolder({}, async (folder) => {
    const now = () => new Date("2026-01-02T03:03:05Z");
    using _journal = await beginJournal(`${folder}/operations`, begin, now);
    const env = { OS_HOME: folder };
    const { out } = await run("operation list -o jsonl", {}, { env });
    assert.equal(JSON.parse(out).state, "running");
  });
});

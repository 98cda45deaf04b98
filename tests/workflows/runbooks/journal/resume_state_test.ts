import assert from "node:assert/strict";
import {
  findOpenPhases,
  isOpen,
  isRedoneIn,
  listRedone,
  listSkipped,
  listTouched,
  splitKey,
  touch,
} from "../../../../workflows/runbooks/journal/resume_state.ts";
import { RunHistory } from "../../../../workflows/runbooks/journal/history.ts";
import { makeJournal } from "./_journals.ts";
import { type NewRecord, wholeRead } from "../_records.ts";

async function foldHistory(
  ...records: readonly NewRecord[]
): Promise<RunHistory> {
  const history = new RunHistory();
  const { written } = await makeJournal([{ type: "run.start" }, ...records]);
  for (const record of written) history.add(wholeRead(record));
  return history;
}

function phase(name: string, p: string, e: number, n?: string): NewRecord {
  return {
    type: "phase",
    path: p,
    ...(n === undefined ? {} : { node: n }),
    entry: e,
    data: { name },
  };
}

Deno.test("a key of the history is taken apart again", () => {
  assert.deepEqual(splitKey("a/b@w-1"), { path: "a/b", node: "w-1" });
  assert.deepEqual(splitKey("a/b"), { path: "a/b", node: "" });
});

Deno.test("resume state: a sent step and its parents are touched", async () => {
  const touched = listTouched(
    await foldHistory({
      type: "intent",
      path: "workers/node/restart",
      node: "w-1",
    }),
  );
  assert.deepEqual([...touched].toSorted(), [
    "workers",
    "workers/node",
    "workers/node/restart",
    "workers/node/restart@w-1",
    "workers/node@w-1",
    "workers@w-1",
  ]);
});

Deno.test("a step that gave something is touched, one that gave nothing is not", async () => {
  const ok = (p: string, outputs: Record<string, string>): NewRecord => ({
    type: "result",
    path: p,
    entry: 1,
    data: { state: "ok", outputs },
  });
  const touched = listTouched(
    await foldHistory(
      ok("backup", { file: "a.db" }),
      ok("check", {}),
      {
        type: "result",
        path: "broken",
        entry: 1,
        data: { state: "failed", outputs: { file: "b.db" } },
      },
      { type: "when", path: "maybe", entry: 1, data: { value: true } },
      { type: "enter", path: "workers", node: "w-1", entry: 1 },
    ),
  );
  assert.deepEqual([...touched], ["backup"]);
});

Deno.test("touching is remembered for every node, in any order", () => {
  const touched = new Set<string>();
  touch(touched, "a/b", "w-1");
  touch(touched, "a/b", "w-1");
  touch(touched, "a/c", "w-1");
  touch(touched, "a/b", "w-2");
  touch(touched, "d", "");
  assert.deepEqual([...touched].toSorted(), [
    "a",
    "a/b",
    "a/b@w-1",
    "a/b@w-2",
    "a/c",
    "a/c@w-1",
    "a@w-1",
    "a@w-2",
    "d",
  ]);
});

Deno.test("a step is open while nobody knows what became of what was sent last", async () => {
  const sent = (e: number): NewRecord => ({
    type: "intent",
    path: "a",
    entry: e,
  });
  const failed = (code: string): NewRecord => ({
    type: "result",
    path: "a",
    entry: 1,
    data: { state: "failed", code, message: "m" },
  });
  async function isOpenAfter(...records: readonly NewRecord[]) {
    const known = (await foldHistory(...records)).instances.get("a");
    return isOpen(known ?? {});
  }
  assert.equal(await isOpenAfter(), false);
  assert.equal(await isOpenAfter(sent(1)), true);
  assert.equal(await isOpenAfter(sent(1), failed("refused")), false);
  assert.equal(await isOpenAfter(sent(1), failed("refused"), sent(2)), true);
  for (
    const code of [
      "deadline",
      "never-returned",
      "in-doubt",
      "unavailable",
      "lease-lost",
    ]
  ) {
    assert.equal(await isOpenAfter(sent(1), failed(code)), true, code);
  }
});

Deno.test("a block that was left in its rescue or always is open, by node", async () => {
  const open = findOpenPhases(
    await foldHistory(
      phase("rescue", "workers", 1, "w-1"),
      phase("always", "workers/inner", 2, "w-1"),
      phase("rescue", "workers", 1, "w-2"),
      phase("always", "", 1),
    ),
  );
  assert.deepEqual([...open], [
    ["w-1", [{ path: "workers", entry: 1 }, {
      path: "workers/inner",
      entry: 2,
    }]],
    ["w-2", [{ path: "workers", entry: 1 }]],
    ["", [{ path: "", entry: 1 }]],
  ]);
});

Deno.test("a block that has ended in the same entry, or was left, is not open", async () => {
  const result: NewRecord = {
    type: "result",
    path: "block",
    entry: 1,
    data: { state: "failed" },
  };
  const at = async (...records: readonly NewRecord[]) =>
    [...findOpenPhases(await foldHistory(...records)).values()].flat();
  assert.deepEqual(await at(phase("rescue", "block", 1), result), []);
  assert.deepEqual(await at(phase("left", "block", 1)), []);
  assert.deepEqual(
    await at(phase("rescue", "block", 1), result, phase("always", "block", 2)),
    [{ path: "block", entry: 2 }],
  );
});

Deno.test("the end of a run ends its own block, not those of nodes", async () => {
  const open = findOpenPhases(
    await foldHistory(
      phase("rescue", "workers", 1, "w-1"),
      phase("always", "", 1),
      { type: "run.end", data: { state: "failed" } },
    ),
  );
  assert.deepEqual([...open.keys()], ["w-1"]);
});

Deno.test("resume state: decisions of the operator are found by step", async () => {
  const decided = (
    verdict: string,
    p: string,
    n?: string,
  ): NewRecord => ({
    type: "decision",
    path: p,
    ...(n === undefined ? {} : { node: n }),
    data: { verdict, reason: "by hand" },
  });
  const history = await foldHistory(
    decided("skip", "workers/drain", "w-1"),
    decided("skip", "backup"),
    decided("redo", "workers/restart", "w-2"),
    decided("redo", "start"),
    decided("done", "workers/drain", "w-3"),
  );
  assert.deepEqual(listSkipped(history), [
    { step: "workers/drain", node: "w-1", reason: "by hand" },
    { step: "backup", reason: "by hand" },
  ]);
  assert.deepEqual(listRedone(history), ["workers/restart@w-2", "start"]);
});

Deno.test("a step around holds what is done again, on its node", () => {
  const redone = ["workers/node/restart@w-2", "start"];
  assert.equal(isRedoneIn(redone, "workers", "w-2"), true);
  assert.equal(isRedoneIn(redone, "workers/node", "w-2"), true);
  assert.equal(isRedoneIn(redone, "workers", undefined), true);
  assert.equal(isRedoneIn(redone, "workers", "w-1"), false);
  assert.equal(isRedoneIn(redone, "work", "w-2"), false);
  // The step itself is not inside of itself.
  assert.equal(isRedoneIn(redone, "start", undefined), false);
  assert.equal(isRedoneIn([], "workers", "w-2"), false);
});

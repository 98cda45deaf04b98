import assert from "node:assert/strict";
import { OsctlError } from "../../../../errors.ts";
import type { RecordType } from "../../../../workflows/runbooks/journal/record.ts";
import { readJournal } from "../../../../workflows/runbooks/journal/reader.ts";
import {
  emptyEnd,
  type JournalStore,
  writeJournal,
} from "../../../../workflows/runbooks/journal/writer.ts";
import { memoryStore, someRecords, ticking } from "./_journals.ts";
import {
  type JournalRecord,
  loose,
  type NewRecord,
  whole,
} from "../_records.ts";

/** A store whose calls wait until they are let go. */
function createHeldStore() {
  const calls: string[] = [];
  let waiting: PromiseWithResolvers<void> | undefined;
  function call(name: string): Promise<void> {
    calls.push(name);
    waiting = Promise.withResolvers();
    return waiting.promise;
  }
  const store: JournalStore = {
    write: (bytes) => call(`write ${new TextDecoder().decode(bytes)}`),
    sync: () => call("sync"),
  };
  return {
    store,
    /** Names of the calls, `write` with the numbers of its records. */
    calls: () =>
      calls.map((one) => {
        const numbers = [...one.matchAll(/"seq":(\d+)/g)].map(([, n]) => n);
        return [one.split(" ")[0], ...numbers].join(" ");
      }),
    /** Lets the call that waits go, and what follows from it happen. */
    async go(error?: Error) {
      if (error === undefined) waiting?.resolve();
      else waiting?.reject(error);
      await settle();
    },
  };
}

/** Lets everything happen that waits for nobody. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

async function summarizeWrites(
  all: readonly Promise<unknown>[],
): Promise<string> {
  const later = settle().then(() => "p");
  const states = all.map((one) =>
    Promise.race([one.then(() => "r", () => "b"), later])
  );
  const stands = (await Promise.all(states)).join("");
  await later;
  return stands;
}

const start: NewRecord = { type: "run.start" };

/** A journal that is written, with records that hold what a test is about. */
function writing(...given: Parameters<typeof writeJournal>) {
  const journal = writeJournal(...given);
  const append = (record: NewRecord) => journal.append(whole(record));
  return { ...journal, append };
}

Deno.test("append gives the record in its place", async () => {
  const journal = writing(memoryStore(), emptyEnd, ticking());
  assert.deepEqual(
    await journal.append({ type: "stop", data: { by: "me" } }),
    {
      seq: 1,
      ts: "2026-11-20T19:00:01.000Z",
      type: "stop",
      data: { by: "me" },
      previous: "00000000",
    },
  );
  const second = await journal.append({ type: "run.end" });
  assert.deepEqual([second.seq, second.previous], [2, "145a92a0"]);
});

Deno.test("append resolves when the record was synced, not before", async () => {
  const { store, calls, go } = createHeldStore();
  const done = [writing(store, emptyEnd, ticking()).append(start)];
  assert.equal(await summarizeWrites(done), "p");
  assert.deepEqual(calls(), ["write 1"]);
  await go();
  assert.deepEqual(calls(), ["write 1", "sync"]);
  assert.equal(await summarizeWrites(done), "p");
  await go();
  assert.equal(await summarizeWrites(done), "r");
});

Deno.test("records that come while others are written share one write and one sync", async () => {
  const { store, calls, go } = createHeldStore();
  const { append } = writing(store, emptyEnd, ticking());
  const done = [append(start)];
  for (const n of ["a", "b", "c"]) {
    done.push(append({ type: "enter", node: n }));
  }
  await go();
  done.push(append({ type: "enter", node: "d" }));
  await go();
  assert.equal(await summarizeWrites(done), "rpppp");
  assert.deepEqual(calls(), ["write 1", "sync", "write 2 3 4 5"]);
  await go();
  assert.equal(await summarizeWrites(done), "rpppp");
  await go();
  assert.equal(await summarizeWrites(done), "rrrrr");
  assert.deepEqual(calls(), ["write 1", "sync", "write 2 3 4 5", "sync"]);
});

Deno.test("only kinds that are found out again are not synced", async () => {
  const kinds: readonly RecordType[] = [
    "run.start",
    "run.resume",
    "rebase",
    "lease",
    "group",
    "decide",
    "approval.requested",
    "approval.answered",
    "secret",
    "gate",
    "when",
    "sleep",
    "intent",
    "step",
    "ack",
    "result",
    "enter",
    "phase",
    "node",
    "decision",
    "drop",
    "set",
    "stop",
    "run.end",
  ];
  const lazy: RecordType[] = [];
  for (const t of kinds) {
    const store = memoryStore();
    await writing(store, emptyEnd, ticking()).append({ type: t });
    if (store.calls.join() === "write") lazy.push(t);
    else assert.equal(store.calls.join(), "write,sync", t);
  }
  assert.deepEqual(lazy, ["gate", "when", "ack"]);
});

Deno.test("a sync covers the records before that did not ask for one", async () => {
  const { store, calls, go } = createHeldStore();
  const { append } = writing(store, emptyEnd, ticking());
  const done = [append({ type: "gate" })];
  await go();
  assert.equal(await summarizeWrites(done), "r");
  done.push(append({ type: "ack" }), append({ type: "intent" }), append(start));
  await go();
  await go();
  assert.equal(await summarizeWrites(done), "rrpp");
  await go();
  assert.equal(await summarizeWrites(done), "rrrr");
  assert.deepEqual(calls(), ["write 1", "write 2", "write 3 4", "sync"]);
});

Deno.test("one record that asks for a sync makes its whole batch synced", async () => {
  const { store, calls, go } = createHeldStore();
  const { append } = writing(store, emptyEnd, ticking());
  const done = [append({ type: "gate" })];
  done.push(append({ type: "ack" }), append({ type: "intent" }));
  done.push(append({ type: "when" }));
  await go();
  await go();
  assert.equal(await summarizeWrites(done), "rppp");
  assert.deepEqual(calls(), ["write 1", "write 2 3 4", "sync"]);
  await go();
  assert.equal(await summarizeWrites(done), "rrrr");
});

for (const fault of ["write", "sync"] as const) {
  Deno.test(`a store that fails to ${fault} breaks the journal for good`, async () => {
    const full = new Error("no space left");
    const { store, calls, go } = createHeldStore();
    const { append } = writing(store, emptyEnd, ticking());
    const done = [append(start), append({ type: "intent" })];
    done.push(append({ type: "gate" }));
    for (const one of done) one.catch(() => {});
    if (fault === "sync") await go();
    await go(full);
    assert.equal(await summarizeWrites(done), "bbb");
    const before = calls();
    const expected = {
      name: "OsctlError",
      message: "Cannot write the journal of the run: no space left",
      hint: "Free disk space, then resume; nothing more was sent",
      cause: full,
    };
    for (const one of done) await assert.rejects(one, expected);
    await assert.rejects(append({ type: "gate" }), expected);
    assert.deepEqual(calls(), before);
  });
}

Deno.test("a journal continues behind its end", async () => {
  const store = memoryStore();
  const first = writing(store, emptyEnd, ticking());
  for (const record of someRecords) await first.append(record);
  const { end } = await readJournal([store.content()], "j", () => {});
  const second = writing(store, end, ticking());
  assert.equal((await second.append({ type: "run.end" })).seq, 6);
  const seen: JournalRecord[] = [];
  await readJournal([store.content()], "j", (one) => seen.push(loose(one)));
  assert.equal(
    seen.map(({ type }) => type).join(),
    ["run.start", "enter", "intent", "ack", "result", "run.end"].join(),
  );
});

Deno.test("a record that cannot be encoded leaves no gap", async () => {
  const store = memoryStore();
  const { append } = writing(store, emptyEnd, ticking());
  await append(start);
  // Outputs of a module are JSON by type, not by a check.
  const wrong = {
    type: "result",
    data: { outputs: 1n },
  } as unknown as NewRecord;
  await assert.rejects(append(wrong), TypeError);
  await append({ type: "run.end" });
  const { end } = await readJournal([store.content()], "j", () => {});
  assert.equal(end.seq, 2);
});

Deno.test("a broken journal is an error of this program's own kind", async () => {
  const store: JournalStore = {
    write: () => Promise.reject(new Deno.errors.PermissionDenied()),
    sync: () => Promise.resolve(),
  };
  const { append } = writing(store, emptyEnd, ticking());
  const error = await append(start).catch((caught) => caught);
  assert.ok(error instanceof OsctlError);
  assert.ok(error.cause instanceof Deno.errors.PermissionDenied);
});

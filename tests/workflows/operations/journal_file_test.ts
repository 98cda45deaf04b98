import assert from "node:assert/strict";
import {
  beginJournal,
  listJournals,
  reopenJournal,
} from "../../../workflows/operations/journal_file.ts";
import { withFolder } from "../../_folder.ts";

const day = (days: number) => () =>
  new Date(Date.UTC(2026, 0, 2 + days, 3, 4, 5));

const wanted = {
  operation: "etcd leave",
  input: {},
  nodes: ["a"],
  context: "lab",
  allow: [],
  waitMs: 0,
};

Deno.test("a journal is a file only its owner reads, and is resumed where it ended", async () => {
  await withFolder({}, async (folder) => {
    const place = `${folder}/operations`;
    let id = "";
    {
      using journal = await beginJournal(place, wanted, day(0));
      id = journal.id;
      assert.match(id, /^20260102-030405-etcd-leave-[0-9a-f]{4}$/);
      await journal.append({ type: "intent", node: "a", key: 1 });
      const { mode } = await Deno.stat(`${place}/${id}.jsonl`);
      assert.equal((mode ?? 0) & 0o777, 0o600);
      assert.deepEqual(
        (await listJournals(place)).map(({ id, held }) => ({ id, held })),
        [{ id, held: true }],
      );
      await assert.rejects(reopenJournal(place, id, day(0)), {
        message: `Operation "${id}" is running in another process`,
      });
    }
    // A crash in the middle of a line.
    await Deno.writeTextFile(`${place}/${id}.jsonl`, '{"type":"ack","no', {
      append: true,
    });
    using again = await reopenJournal(place, id, day(1));
    assert.deepEqual(
      again.history.nodes,
      new Map([["a", {
        key: 1,
        acknowledged: false,
        sentAt: Date.UTC(2026, 0, 2, 3, 4, 5),
      }]]),
    );
    await again.append({ type: "ack", node: "a" });
    await again.append({ type: "end" });
    const [listed] = await listJournals(place);
    assert.equal(listed?.history.nodes.get("a")?.acknowledged, true);
    assert.equal(listed?.history.ended, true);
  });
});

Deno.test("journals whose client came to its end are removed after thirty days, others never", async () => {
  await withFolder({}, async (folder) => {
    const ids: string[] = [];
    const late = {
      type: "outcome",
      node: "a",
      outcome: "timed-out",
      reason: "",
    } as const;
    for (const ended of [true, false]) {
      using journal = await beginJournal(folder, wanted, day(0));
      await journal.append(late);
      if (ended) await journal.append({ type: "end" });
      ids.push(journal.id);
    }
    using last = await beginJournal(folder, wanted, day(31));
    const left = (await listJournals(folder)).map(({ id }) => id);
    assert.deepEqual(left, [last.id, ids[1]]);
  });
});

Deno.test("journal file: names a file that is not a journal", async () => {
  await withFolder({}, async (folder) => {
    await assert.rejects(reopenJournal(folder, "x", day(0)), {
      message: 'Cannot find operation "x"',
    });
    await assert.rejects(reopenJournal(folder, "../x", day(0)), {
      message: 'Cannot use operation "../x": it is not an operation id',
    });
    assert.deepEqual(await listJournals(`${folder}/none`), []);
  });
});

Deno.test("a journal and each of its records survive a crash before anything else happens", async () => {
  await withFolder({}, async (folder) => {
    const { sync } = Deno.FsFile.prototype;
    const kept: string[] = [];
    Deno.FsFile.prototype.sync = async function () {
      await sync.call(this);
      if ((await this.stat()).isDirectory) return void kept.push("folder");
      const [{ name = "" } = {}] = await Array.fromAsync(Deno.readDir(folder));
      const text = await Deno.readTextFile(`${folder}/${name}`);
      const last = JSON.parse(text.trim().split("\n").at(-1) ?? "");
      kept.push(last.type);
    };
    try {
      using journal = await beginJournal(folder, wanted, day(0));
      assert.deepEqual(kept, ["begin", "folder"]);
      await journal.append({ type: "intent", node: "a", key: 1 });
      assert.deepEqual(kept, ["begin", "folder", "intent"]);
      await journal.append({ type: "ack", node: "a" });
      assert.deepEqual(kept, ["begin", "folder", "intent", "ack"]);
    } finally {
      Deno.FsFile.prototype.sync = sync;
    }
  });
});

Deno.test("nothing is written behind a record that could not be written", async () => {
  await withFolder({}, async (folder) => {
    using journal = await beginJournal(folder, wanted, day(0));
    // Not as a full disk does it, but as surely.
    const key = 1n as unknown as number;
    const failed = journal.append({ type: "intent", node: "a", key });
    const next = journal.append({ type: "ack", node: "a" });
    await assert.rejects(failed, TypeError);
    await assert.rejects(next, TypeError);
    const [listed] = await listJournals(folder);
    assert.equal(listed?.history.nodes.get("a")?.acknowledged, false);
  });
});

/** Writes a last record, and lets the journal go before anybody else has a turn. */
function endLate(journal: Disposable, path: string): void {
  const ack = JSON.stringify({ type: "ack", node: "a", at: "" });
  Deno.writeTextFileSync(path, `${ack}\n`, { append: true });
  journal[Symbol.dispose]();
}

Deno.test("a journal is read when no process writes to it any more", async () => {
  await withFolder({}, async (folder) => {
    for (let round = 0; round < 20; round++) {
      const first = await beginJournal(folder, wanted, day(0));
      const { id } = first;
      const path = `${folder}/${id}.jsonl`;
      let isOver = false;
      const next = async () => {
        while (!isOver) {
          try {
            const one = await reopenJournal(folder, id, day(0));
            isOver = true;
            return one;
          } catch (error) {
            assert.match(String(error), /is running in another process/);
          }
        }
        return undefined;
      };
      const waiting = Array.from({ length: 8 }, next);
      endLate(first, path);
      const [second] = (await Promise.all(waiting)).flatMap((one) => one ?? []);
      assert.equal(second?.history.nodes.get("a")?.acknowledged, true);
      const text = await Deno.readTextFile(path);
      assert.equal(text.split("\n").length, 3);
      second[Symbol.dispose]();
    }
  });
});

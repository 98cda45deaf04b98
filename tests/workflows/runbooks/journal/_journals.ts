/** Journals in memory, for tests. */

import {
  emptyEnd,
  type JournalStore,
  writeJournal,
} from "../../../../workflows/runbooks/journal/writer.ts";
import {
  type JournalRecord,
  loose,
  type NewRecord,
  whole,
} from "../_records.ts";

/** A file in memory. */
export interface MemoryStore extends JournalStore {
  readonly calls: readonly string[];
  readonly content: () => Uint8Array<ArrayBuffer>;
}

/** A file in memory that never fails. */
export function memoryStore(): MemoryStore {
  const calls: string[] = [];
  let content = new Uint8Array();
  return {
    calls,
    content: () => content,
    write(bytes) {
      calls.push("write");
      const longer = new Uint8Array(content.length + bytes.length);
      longer.set(content);
      longer.set(bytes, content.length);
      content = longer;
      return Promise.resolve();
    },
    sync() {
      calls.push("sync");
      return Promise.resolve();
    },
  };
}

/** A clock that is one second later each time it is checked, from 2026-11-20T19:00:00Z on. */
export function ticking(): () => Date {
  let at = Date.UTC(2026, 10, 20, 19);
  return () => new Date(at += 1_000);
}

/** A journal with these records, and what `append` gave for them. */
export async function makeJournal(records: readonly NewRecord[]): Promise<{
  /** The file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The records in their places. */
  readonly written: readonly JournalRecord[];
}> {
  const store = memoryStore();
  const journal = writeJournal(store, emptyEnd, ticking());
  const written = await Promise.all(
    records.map(async (one) => loose(await journal.append(whole(one)))),
  );
  return { bytes: store.content(), written };
}

/** The usual records of a step on a node. */
export const someRecords: readonly NewRecord[] = [
  {
    type: "run.start",
    data: { groups: { workers: ["w-1"] }, members: ["w-1"] },
  },
  { type: "enter", path: "workers", node: "w-1", entry: 1 },
  {
    type: "intent",
    path: "workers/restart",
    node: "w-1",
    entry: 1,
    attempt: 1,
    data: { key: { boot: "é" }, input: { mode: "default" } },
  },
  { type: "ack", path: "workers/restart", node: "w-1", entry: 1, attempt: 1 },
  {
    type: "result",
    path: "workers/restart",
    node: "w-1",
    entry: 1,
    data: { state: "ok", module: "reboot", outputs: {} },
  },
];

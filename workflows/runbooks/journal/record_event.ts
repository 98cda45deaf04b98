/** Events of records: what the journal keeps is reported as soon as it is on the disk. */

import type { NewEvent } from "../event.ts";
import { instanceKey, type RunHistory } from "./history.ts";
import type { JournalRecord, StepEndData } from "./record.ts";
import type { RunJournal } from "./writer.ts";

/** Makes a journal whose records are in the history, and reported, as soon as they are written. */
export function reportRecords({ journal, history, emit }: {
  readonly journal: RunJournal;
  readonly history: RunHistory;
  readonly emit: (event: NewEvent) => void;
}): RunJournal {
  return {
    async append(record) {
      const written = await journal.append(record);
      history.add(written);
      const event = toEvent(written, history);
      if (event !== undefined) emit(event);
      return written;
    },
  };
}

/** The event that reports a record; `undefined` for records that only a resume reads. */
function toEvent(
  record: JournalRecord,
  history: RunHistory,
): NewEvent | undefined {
  const { path = "", node } = record;
  switch (record.type) {
    case "enter": {
      const { entry, data: { batch } = {} } = record;
      if (node === undefined) return undefined;
      const { startedAt } = history.nodes.get(instanceKey(path, node)) ?? {};
      const data = { entry, batch, ...formatEarlier(startedAt, record.ts) };
      return { type: "node.entered", path, node, data };
    }
    case "result": {
      const about = node === undefined ? {} : { node };
      return { path, ...about, ...toStepEvent(record.data) };
    }
    case "approval.requested": {
      const { tag, message, destructive } = record.data;
      return { type: record.type, path, data: { tag, message, destructive } };
    }
    case "approval.answered": {
      const { destructive: _, ...data } = record.data;
      return { type: record.type, path, data };
    }
    case "run.end": {
      const { state, status } = record.data;
      return { type: "run.ended", data: { state, status } };
    }
    default:
      return undefined;
  }
}

/** Start of a node or step in an earlier process, for its event; empty if there was none. */
export function formatEarlier(
  startedAt: number | undefined,
  ts: string,
): { readonly startedAt?: string } {
  return startedAt !== undefined && startedAt < Date.parse(ts)
    ? { startedAt: new Date(startedAt).toISOString() }
    : {};
}

/** Modules that read the version of their node. */
const versionReaders: ReadonlySet<string> = new Set([
  "node.system",
  "node.verifyVersion",
]);

function toStepEvent(end: StepEndData) {
  switch (end.state) {
    case "ok": {
      const { state: _s, module = "", target: _t, outputs = {}, ...rest } = end;
      const { version } = outputs;
      const isRead = versionReaders.has(module) && typeof version === "string";
      const data = { ...rest, ...isRead && { version } };
      return { type: "step.done", data } as const;
    }
    case "failed": {
      const { state: _, ...data } = end;
      const type = end.code === "in-doubt" ? "step.in-doubt" : "step.failed";
      return { type, data } as const;
    }
    case "skipped": {
      const { state: _, message: reason, ...about } = end;
      return { type: "step.skipped", data: { reason, ...about } } as const;
    }
  }
}

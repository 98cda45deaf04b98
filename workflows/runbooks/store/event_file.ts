/** Events of a run: the file in its folder, and the stream while it is running. */

import { isRecord, parseJson } from "../../../lib/json.ts";
import { systemReason } from "../../../lib/files/system_reason.ts";
import { writeAll } from "../../../lib/files/write_all.ts";
import { ConfigError } from "../../../errors.ts";
import { pause } from "../../../lib/pause.ts";
import { type EventType, eventTypes, type RunEvent } from "../event.ts";
import { type EventShape, eventShapes } from "../event_data.ts";
import type { ValueField, ValueFields } from "../../runbook_cel/field.ts";

/** Read limit, in bytes. */
const chunk = 1 << 20;

/** Path of the event file of a run. */
export function eventsPath(folder: string): string {
  return `${folder}/events.jsonl`;
}

interface EventFile extends AsyncDisposable {
  /**
   * Appends an event, in the order of the calls; resolves when others can read it.
   *
   * A failure is reported once and no more events are written: a full disk is no reason to abandon nodes.
   */
  readonly add: (event: RunEvent) => Promise<void>;
}

/** Opens the events of a run for appending; events of earlier processes are kept. */
export async function openEventFile(
  folder: string,
  note: (text: string) => void,
): Promise<EventFile> {
  const path = eventsPath(folder);
  const options = { read: true, append: true, create: true, mode: 0o600 };
  const file = await Deno.open(path, options);
  await cutTorn(file);
  const encoder = new TextEncoder();
  let broken = false;
  let last = Promise.resolve();

  async function write(event: RunEvent): Promise<void> {
    if (broken) return;
    try {
      await writeAll(file, encoder.encode(`${JSON.stringify(event)}\n`));
    } catch (error) {
      broken = true;
      const why = systemReason(error);
      note(`warning: events are no longer written: ${why}`);
    }
  }

  return {
    add: (event) => last = last.then(() => write(event)),
    async [Symbol.asyncDispose]() {
      await last;
      file.close();
    },
  };
}

/** Removes an unfinished last line, left by a process that was killed. */
async function cutTorn(file: Deno.FsFile): Promise<void> {
  const { size } = await file.stat();
  const from = Math.max(0, size - chunk);
  await file.seek(from, Deno.SeekMode.Start);
  const bytes = new Uint8Array(size - from);
  const count = await file.read(bytes) ?? 0;
  const end = from + bytes.subarray(0, count).lastIndexOf(10) + 1;
  if (end < size) await file.truncate(end);
}

interface FollowRunEvents {
  /** Reports whether more events may follow; called when there is nothing new. */
  readonly goesOn: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Poll interval, in milliseconds. */
const everyMs = 250;

/**
 * Reads the events of a file, present and future.
 *
 * @param path The file; it may not exist yet.
 * @param follow Until when to follow; only present events when absent.
 * @throws {ConfigError} If the file cannot be read, or a line is not an event.
 */
export async function* readEvents(
  path: string,
  follow?: FollowRunEvents,
): AsyncGenerator<RunEvent> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(chunk);
  let file: Deno.FsFile | undefined;
  let rest = "";
  let last = false;
  try {
    while (true) {
      // Polls are sequential.
      file ??= await openIfThere(path);
      const count = await readInto(buffer, file, path);
      const bytes = buffer.subarray(0, count);
      const text = rest + decoder.decode(bytes, { stream: true });
      const end = text.lastIndexOf("\n") + 1;
      rest = text.slice(end);
      yield* parseEvents(text.slice(0, end), path);
      if (count > 0) continue;
      if (follow === undefined || last || follow.signal.aborted) return;
      // Events that were written right before the end are read in one more pass.
      last = !await follow.goesOn();
      if (!last) await pause(everyMs, follow.signal);
    }
  } finally {
    file?.close();
  }
}

/**
 * Reads the events of the last process of a run, from its plan on.
 *
 * @throws {ConfigError} If the file cannot be read, or a line is not an event.
 */
export async function latestEvents(
  folder: string,
): Promise<readonly RunEvent[]> {
  let events: RunEvent[] = [];
  for await (const event of readEvents(eventsPath(folder))) {
    if (event.type === "run.planned") events = [];
    events.push(event);
  }
  return events;
}

async function openIfThere(path: string): Promise<Deno.FsFile | undefined> {
  try {
    return await Deno.open(path, { read: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw unreadable(path, error);
  }
}

async function readInto(
  buffer: Uint8Array,
  file: Deno.FsFile | undefined,
  path: string,
): Promise<number> {
  try {
    return await file?.read(buffer) ?? 0;
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): unknown {
  // Errors of the operating system have a code.
  if (!(error instanceof Error && "code" in error)) return error;
  return new ConfigError(`Cannot read "${path}": ${systemReason(error)}`, {
    cause: error,
  });
}

/**
 * Reads the events of a file.
 *
 * A last line without a newline is skipped: its process was interrupted. Kinds of events that only a later version
 * knows are skipped, too.
 *
 * @throws {ConfigError} If a line is not an event; names the line.
 */
export function parseEvents(text: string, file: string): readonly RunEvent[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.flatMap((line, i) => {
    const event = parseEvent(line);
    if (event === undefined) {
      throw new ConfigError(
        `Cannot read "${file}": line ${i + 1} is not an event`,
        {
          hint: "Give a file that --events-file has written",
        },
      );
    }
    return known.has(event.type) ? [event] : [];
  });
}

const known: ReadonlySet<string> = new Set(eventTypes);

function parseEvent(line: string): RunEvent | undefined {
  const value = parseJson(line);
  if (!isRecord(value)) return undefined;
  const { v, type, run, ts, data, path, node } = value;
  const isEvent = v === 1 && typeof type === "string" &&
    typeof run === "string" && isInstant(ts) && isRecord(data) &&
    isText(path) && isText(node) &&
    (!known.has(type) || fits(eventShapes[type as EventType], value, data));
  // Checked above.
  return isEvent ? value as unknown as RunEvent : undefined;
}

/** Reports whether an event has the fields of its type; later versions may add more. */
function fits(
  shape: EventShape,
  { path, node }: Readonly<Record<string, unknown>>,
  data: Readonly<Record<string, unknown>>,
): boolean {
  return (path !== undefined || !shape.path) &&
    (node !== undefined || !shape.node) && hasFields(data, shape.data);
}

function hasFields(
  value: Readonly<Record<string, unknown>>,
  fields: ValueFields,
): boolean {
  return Object.entries(fields).every(([name, field]) =>
    // Missing texts are only displayed; lists are iterated.
    value[name] === undefined
      ? !field.required || field.type !== "list"
      : matchesShape(value[name], field)
  );
}

function matchesShape(
  value: unknown,
  { type, items, fields = {} }: ValueField,
) {
  const hasItems = (all: readonly unknown[]): boolean =>
    items === undefined || all.every((one) => matchesShape(one, items));
  switch (type) {
    case "int":
      return typeof value === "number";
    case "bool":
      return typeof value === "boolean";
    case "list":
      return Array.isArray(value) && hasItems(value);
    case "map":
      return isRecord(value) && hasItems(Object.values(value));
    case "object":
      return isRecord(value) && hasFields(value, fields);
    default:
      return typeof value === "string";
  }
}

function isInstant(ts: unknown): boolean {
  return typeof ts === "string" && Number.isFinite(Date.parse(ts));
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

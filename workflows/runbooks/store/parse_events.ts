/** Events as they stand in files: one JSON object on each line. */

import { ConfigError } from "../../../errors.ts";
import { eventTypes, type RunEvent } from "../event.ts";

/**
 * Reads the events of a file.
 *
 * A last line without its end is left out: whoever wrote it was stopped. So are kinds of events that only a later
 * version knows.
 *
 * @throws {ConfigError} If a line is not an event; names the line.
 */
export function parseEvents(text: string, file: string): readonly RunEvent[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.flatMap((line, i) => {
    const event = parsed(line);
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

function parsed(line: string): RunEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  // What makes it an event is checked right below.
  const event = value as Partial<RunEvent>;
  const isEvent = event.v === 1 && typeof event.type === "string" &&
    typeof event.run === "string" && isInstant(event.ts) &&
    typeof event.data === "object" && event.data !== null &&
    isText(event.path) && isText(event.node);
  return isEvent ? event as RunEvent : undefined;
}

function isInstant(ts: unknown): boolean {
  return typeof ts === "string" && Number.isFinite(Date.parse(ts));
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

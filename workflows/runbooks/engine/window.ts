/** Windows in which disruptions may start. */

import type { Window } from "../runbook.ts";

const dayMs = 24 * 3_600_000;

/** Days in order; days are counted in the zone, since their lengths differ. */
const week = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/**
 * Finds when the next window opens.
 *
 * @param windows Windows of the week; empty for any time.
 * @param now Milliseconds since 1970.
 * @returns `undefined` when a window is open now, else when the next one opens: `Tue 20:00 Europe/Berlin`.
 */
export function closedUntil(
  windows: readonly Window[],
  now: number,
): string | undefined {
  if (windows.length === 0) return undefined;
  if (windows.some((window) => isOpen(window, now))) return undefined;
  const openings = windows.map((window) => nextOpening(window, now));
  const [first] = openings.toSorted((a, b) => a.inMs - b.inMs);
  return first?.text;
}

/** Reason not to disturb nodes now; `undefined` when a window is open. See {@linkcode closedUntil}. */
export function outsideWindow(
  windows: readonly Window[],
  now: number,
): string | undefined {
  const until = closedUntil(windows, now);
  return until && `outside the window, which opens at ${until}`;
}

interface ZonedTime {
  readonly day: string;
  readonly minute: number;
}

function momentIn(zone: string, now: number): ZonedTime {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(now);
  const part = (type: string) =>
    parts.find((one) => one.type === type)?.value ?? "";
  return {
    day: part("weekday").toLowerCase(),
    minute: Number(part("hour")) * 60 + Number(part("minute")),
  };
}

function parseMinute(text: string): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  return hours * 60 + minutes;
}

function isOpen({ days, from, to, zone }: Window, now: number): boolean {
  const named: readonly string[] = days;
  const [begin, end] = [parseMinute(from), parseMinute(to)];
  const today = momentIn(zone, now);
  if (begin <= end) {
    return named.includes(today.day) && today.minute >= begin &&
      today.minute < end;
  }
  // Past midnight the day of the evening counts.
  if (named.includes(today.day) && today.minute >= begin) return true;
  return named.includes(dayAfter(today.day, -1)) && today.minute < end;
}

function nextOpening(
  { days, from, zone }: Window,
  now: number,
): { readonly inMs: number; readonly text: string } {
  const named: readonly string[] = days;
  const begin = parseMinute(from);
  const { day: today, minute } = momentIn(zone, now);
  for (let ahead = 0; ahead <= 7; ahead++) {
    const day = dayAfter(today, ahead);
    const inMs = ahead * dayMs + (begin - minute) * 60_000;
    if (!named.includes(day) || inMs < 0) continue;
    const name = day.charAt(0).toUpperCase() + day.slice(1);
    return { inMs, text: `${name} ${from} ${zone}` };
  }
  return { inMs: Infinity, text: `${from} ${zone}` };
}

function dayAfter(day: string, ahead: number): string {
  const { length } = week;
  return week[(week.indexOf(day) + ahead + length) % length] ?? "";
}

import assert from "node:assert/strict";
import { closedUntil } from "../../../../workflows/runbooks/engine/window.ts";
import type { Window } from "../../../../workflows/runbooks/runbook.ts";

const berlin = "Europe/Berlin";

function window(
  days: Window["days"],
  from: string,
  to: string,
  zone = berlin,
): Window {
  return { days, from, to, zone };
}

/** Moments, ISO 8601, at which something may begin. */
function openAt(
  windows: Window | readonly Window[],
  ...moments: readonly string[]
): readonly string[] {
  const all = [windows].flat();
  return moments.filter((one) =>
    closedUntil(all, Date.parse(one)) === undefined
  );
}

Deno.test("without a window something may begin at any time", () => {
  assert.equal(closedUntil([], Date.parse("2026-11-20T03:00:00Z")), undefined);
});

Deno.test("a window is open from its first minute to the one before its last", () => {
  const friday = window(["fri"], "20:00", "23:30");
  assert.deepEqual(
    openAt(
      friday,
      "2026-11-20T19:59:59+01:00",
      "2026-11-20T20:00:00+01:00",
      "2026-11-20T23:29:59+01:00",
      "2026-11-20T23:30:00+01:00",
      "2026-11-19T21:00:00+01:00",
      "2026-11-21T21:00:00+01:00",
    ),
    ["2026-11-20T20:00:00+01:00", "2026-11-20T23:29:59+01:00"],
  );
});

Deno.test("a window over midnight belongs to the day of its evening", () => {
  const friday = window(["fri"], "22:00", "02:00");
  assert.deepEqual(
    openAt(
      friday,
      "2026-11-20T01:00:00+01:00",
      "2026-11-20T22:00:00+01:00",
      "2026-11-21T01:59:59+01:00",
      "2026-11-21T02:00:00+01:00",
      "2026-11-21T22:30:00+01:00",
    ),
    ["2026-11-20T22:00:00+01:00", "2026-11-21T01:59:59+01:00"],
  );
});

Deno.test("day and time are those of the zone", () => {
  const moment = "2026-11-20T23:30:00Z";
  const saturday = (zone: string) => window(["sat"], "00:00", "12:00", zone);
  const zones = ["Europe/Berlin", "Asia/Kolkata", "UTC", "America/New_York"];
  assert.deepEqual(
    zones.filter((zone) => openAt(saturday(zone), moment).length > 0),
    ["Europe/Berlin", "Asia/Kolkata"],
  );
});

// Clocks go forward by an hour on Sunday, 29 March 2026, and back by one on Sunday, 25 October 2026.
Deno.test("an evening before a day that was an hour short is the day before", () => {
  const afterMidnight = "2026-03-30T00:10:00+02:00";
  assert.deepEqual(
    openAt(window(["sun"], "22:00", "02:00"), afterMidnight),
    [afterMidnight],
  );
  assert.deepEqual(
    openAt(window(["sat"], "22:00", "02:00"), afterMidnight),
    [],
  );
});

Deno.test("an evening before a day that was an hour long is the day before", () => {
  const moments = [
    "2026-10-25T23:30:00+01:00",
    "2026-10-26T00:10:00+01:00",
    "2026-10-26T01:59:00+01:00",
  ];
  assert.deepEqual(
    openAt(window(["sun"], "22:00", "02:00"), ...moments),
    moments,
  );
  assert.deepEqual(openAt(window(["sat"], "22:00", "02:00"), ...moments), []);
});

Deno.test("a window that begins in the hour that is omitted opens behind it", () => {
  const night = window(["sun"], "02:30", "04:00");
  assert.deepEqual(
    openAt(
      night,
      "2026-03-29T01:59:00+01:00",
      "2026-03-29T03:00:00+02:00",
      "2026-03-29T04:00:00+02:00",
    ),
    ["2026-03-29T03:00:00+02:00"],
  );
});

Deno.test("a window in the hour that comes twice is open twice", () => {
  const moments = ["2026-10-25T02:45:00+02:00", "2026-10-25T02:45:00+01:00"];
  assert.deepEqual(
    openAt(window(["sun"], "02:30", "03:00"), ...moments),
    moments,
  );
});

Deno.test("the window that opens next is named", () => {
  const windows = [
    window(["mon", "wed"], "20:00", "23:00"),
    window(["tue"], "06:00", "07:00", "UTC"),
  ];
  const next = (moment: string) => closedUntil(windows, Date.parse(moment));
  assert.equal(next("2026-11-16T12:00:00Z"), "Mon 20:00 Europe/Berlin");
  assert.equal(next("2026-11-16T23:00:00Z"), "Tue 06:00 UTC");
  assert.equal(next("2026-11-17T08:00:00Z"), "Wed 20:00 Europe/Berlin");
  assert.equal(next("2026-11-19T08:00:00Z"), "Mon 20:00 Europe/Berlin");
});

Deno.test("a window that has just closed opens again in a week", () => {
  const friday = [window(["fri"], "20:00", "21:00")];
  assert.equal(
    closedUntil(friday, Date.parse("2026-11-20T21:00:00+01:00")),
    "Fri 20:00 Europe/Berlin",
  );
});

Deno.test("the next window is named over a change of the clocks, too", () => {
  const next = (days: Window["days"], moment: string) =>
    closedUntil([window(days, "08:00", "09:00")], Date.parse(moment));
  assert.equal(
    next(["sun", "mon"], "2026-03-28T23:30:00+01:00"),
    "Sun 08:00 Europe/Berlin",
  );
  assert.equal(
    next(["sun", "mon"], "2026-10-25T23:30:00+01:00"),
    "Mon 08:00 Europe/Berlin",
  );
});

Deno.test("a window without days never opens", () => {
  const never = window([], "20:00", "21:00");
  const now = Date.parse("2026-11-20T20:30:00+01:00");
  assert.equal(closedUntil([never], now), "20:00 Europe/Berlin");
  assert.equal(
    closedUntil([never, window(["sat"], "20:00", "21:00")], now),
    "Sat 20:00 Europe/Berlin",
  );
});

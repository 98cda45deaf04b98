import assert from "node:assert/strict";
import {
  lineChoice,
  lineTime,
} from "../../../commands/_streams/log_selection.ts";

const now = Date.UTC(2026, 0, 2, 3, 10);
const log = [
  "before any time",
  "2026-01-02T03:00:00Z one",
  "  more of it",
  "2026-01-02T03:05:00Z two",
  "2026-01-02T03:09:00Z three",
];
const none = {
  since: undefined,
  until: undefined,
  grep: undefined,
  merge: false,
  prefix: undefined,
};

for (
  const [name, input, wanted] of [
    ["since a time", { since: { at: Date.UTC(2026, 0, 2, 3, 5) } }, [3, 4]],
    ["since a while ago", { since: { agoMs: 600_000 } }, [1, 2, 3, 4]],
    ["until a while ago", { until: { agoMs: 300_000 } }, [0, 1, 2, 3]],
    ["by text", { grep: "^ |two$" }, [2, 3]],
    ["by both", { since: { agoMs: 400_000 }, grep: "t" }, [3, 4]],
    ["all, timed", { merge: true }, [0, 1, 2, 3, 4]],
  ] as const
) {
  Deno.test(`lines are chosen ${name}`, () => {
    const choice = lineChoice({ ...none, ...input }, { now, follow: false })!();
    const chosen = [...choice(log.slice(0, 2)), ...choice(log.slice(2))];
    assert.deepEqual(
      chosen.map(({ line }) => line),
      wanted.map((index) => log[index]),
    );
  });
}

const readAt = Date.UTC(2026, 0, 2, 3, 4, 5);

for (
  const [line, time] of [
    ["2026-01-02T03:04:05.25Z stderr F x", "2026-01-02T03:04:05.250Z"],
    [
      "kern:  info: [2026-01-02T03:04:05.678901Z]: x",
      "2026-01-02T03:04:05.678Z",
    ],
    [
      '{"level":"info","ts":"2026-01-02T03:04:05.1+01:00"}',
      "2026-01-02T02:04:05.100Z",
    ],
    ['time="2026-01-02T03:04:05Z" level=info', "2026-01-02T03:04:05.000Z"],
    ["apid 2026/01/02 03:04:05 x", "2026-01-02T03:04:05.000Z"],
    ["I0102 03:04:04.500000    1 x.go:1] x", "2026-01-02T03:04:04.500Z"],
    ["E1231 23:59:59.500000    1 x.go:1] x", "2025-12-31T23:59:59.500Z"],
    ['{"ts":1767323045678.9,"msg":"x"}', "2026-01-02T03:04:05.678Z"],
    ["type=1403 audit(1767323045.678:2): x", "2026-01-02T03:04:05.678Z"],
    ["\tat x.go:1", undefined],
    ["2026-13-45T99:00:00Z x", undefined],
    ["", undefined],
  ] as const
) {
  Deno.test(`the time of ${line} is ${time}`, () => {
    const found = lineTime(line, readAt);
    assert.equal(
      found === undefined ? undefined : new Date(found).toISOString(),
      time,
    );
  });
}

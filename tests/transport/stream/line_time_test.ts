import assert from "node:assert/strict";
import { lineTime } from "../../../transport/stream/line_time.ts";

const now = Date.UTC(2026, 0, 2, 3, 4, 5);

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
    const found = lineTime(line, now);
    assert.equal(
      found === undefined ? undefined : new Date(found).toISOString(),
      time,
    );
  });
}

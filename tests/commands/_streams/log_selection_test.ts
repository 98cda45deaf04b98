import assert from "node:assert/strict";
import { lineChoice } from "../../../commands/_streams/log_selection.ts";

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

Deno.test("without flags there is nothing to choose", () => {
  assert.equal(lineChoice(none, { now, follow: true }), undefined);
});

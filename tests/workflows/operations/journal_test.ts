import assert from "node:assert/strict";
import {
  foldHistory,
  type OperationRecord,
  readRecords,
} from "../../../workflows/operations/journal.ts";

const at = "2026-01-02T03:04:05.000Z";

const begin: OperationRecord = {
  type: "begin",
  v: 1,
  id: "x",
  at,
  operation: "reboot",
  input: { mode: "default" },
  nodes: ["a", "b"],
  context: "lab",
  allow: [],
  waitMs: 1000,
};

const records: readonly OperationRecord[] = [
  begin,
  { type: "intent", at, node: "a", key: { bootId: "1" } },
  { type: "ack", at, node: "a" },
  { type: "intent", at, node: "b", key: { bootId: "2" } },
  { type: "outcome", at, node: "a", outcome: "done", reason: "ready" },
];

Deno.test("foldHistory tells what became of each node", () => {
  const history = foldHistory(records);
  assert.deepEqual(history, {
    begin,
    nodes: new Map([
      [
        "a",
        {
          acknowledged: true,
          key: { bootId: "1" },
          sentAt: Date.parse(at),
          outcome: "done",
          reason: "ready",
        },
      ],
      [
        "b",
        { acknowledged: false, key: { bootId: "2" }, sentAt: Date.parse(at) },
      ],
    ]),
    closed: false,
    ended: false,
  });
  const closed = foldHistory([...records, { type: "end", at }]);
  assert.deepEqual([closed?.closed, closed?.ended], [true, true]);
});

Deno.test("journal: a repeated request is not acknowledged yet", () => {
  const again = { type: "intent", at, node: "a", key: null } as const;
  const history = foldHistory([...records.slice(0, 3), again]);
  assert.equal(history?.nodes.get("a")?.acknowledged, false);
});

Deno.test("foldHistory knows nothing without a beginning", () => {
  assert.equal(foldHistory([]), undefined);
  assert.equal(foldHistory(records.slice(1)), undefined);
});

Deno.test("readRecords omits a last line that was truncated", () => {
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  assert.deepEqual(readRecords(text, "j"), records);
  assert.deepEqual(readRecords(text.slice(0, -2), "j"), records.slice(0, -1));
  assert.deepEqual(readRecords("", "j"), []);
});

Deno.test("readRecords refuses damage before the last line", () => {
  assert.throws(
    () => readRecords('{"type":"begin"}\n{x\n{"type":"end"}\n', "j"),
    {
      name: "ConfigError",
      message: 'Cannot read journal "j": line 2 is damaged',
    },
  );
});

Deno.test("an operation whose end was not seen on every node has not ended, until that was seen", () => {
  const end = { type: "end", at } as const;
  for (
    const outcome of [
      "never-returned",
      "never-rebooted",
      "timed-out",
      "in-doubt",
    ] as const
  ) {
    const open: readonly OperationRecord[] = [
      ...records,
      { type: "outcome", at, node: "b", outcome, reason: "not seen" },
      end,
    ];
    const history = foldHistory(open);
    assert.deepEqual([history?.closed, history?.ended], [true, false]);
    const resumed = foldHistory([
      ...open,
      { type: "outcome", at, node: "b", outcome: "failed", reason: "no" },
      end,
    ]);
    assert.deepEqual([resumed?.closed, resumed?.ended], [true, true]);
  }
});

Deno.test("foldHistory keeps the steps of a node through other attempts", () => {
  const step = (name: string): OperationRecord => ({
    type: "step",
    at,
    node: "a",
    step: name,
  });
  const intent: OperationRecord = { type: "intent", at, node: "a", key: 1 };
  const history = foldHistory([
    begin,
    intent,
    step("install"),
    intent,
    step("reboot"),
  ]);
  assert.deepEqual(history?.nodes.get("a"), {
    key: 1,
    acknowledged: false,
    sentAt: Date.parse(at),
    steps: ["install", "reboot"],
  });
});

import assert from "node:assert/strict";
import { processMasker } from "../../../../lib/masker.ts";
import { lineText } from "../../../../terminal/screen_line.ts";
import { logTail } from "../../../../workflows/dashboard/feeds/all.ts";
import { textRows } from "../../../../workflows/dashboard/pages/layout.ts";
import { summaryPage } from "../../../../workflows/dashboard/pages/summary.ts";
import {
  hideTimes,
  wrapRows,
} from "../../../../workflows/dashboard/pages/text_rows.ts";
import { makeData, pageContext, renderPage } from "../_data.ts";

function makeLog(...lines: readonly string[]) {
  return { head: [], rows: textRows(lines), kind: "log" } as const;
}

Deno.test("wrapped rows have the styles of their line, and whole characters", () => {
  const line = [
    { text: "ab", style: "bad" as const },
    { text: "cd\u4e2d\u6587e" },
  ];
  const { rows } = wrapRows({ ...makeLog(), rows: [{ id: "", line }] }, 5);
  assert.deepEqual(rows, [
    {
      id: "",
      line: [{ text: "ab", style: "bad" }, { text: "cd", style: undefined }],
    },
    {
      id: "",
      line: [{ text: "\u4e2d\u6587e", style: undefined }],
      continues: true,
    },
  ]);
  // A terminal of one column cannot show them.
  assert.equal(wrapRows(makeLog("\u4e2d\u6587"), 1).rows.length, 1);
});

Deno.test("no row shows a part of a secret", () => {
  processMasker.add("s3cr3t-t0k3n-value");
  const { rows } = wrapRows(makeLog("token s3cr3t-t0k3n-value"), 12);
  assert.equal(
    rows.map(({ line }) => lineText(line)).join("").includes("s3cr"),
    false,
  );
});

Deno.test("time stamps are hidden in the formats of nodes, and the rest of a line stays", () => {
  const lines = [
    "user: warning: [2026-11-27T18:21:35.593372Z]: [talos] service[trustd](Waiting)",
    "apid 2026/11/27 18:21:35.419000 listening on [::]:50000",
    'time="2026-11-27T18:21:33.457Z" level=info msg="starting"',
    "2026-11-27T18:21:33Z up at 2026-11-27T18:21:34Z",
    "I1127 18:21:35.423000    1842 server.go:1] ready",
    "[2026-11-27 18:21:35] done",
    '{"ts":"2026-11-27T18:21:35Z"}',
    "no time",
  ];
  const { rows } = hideTimes(makeLog(...lines));
  assert.deepEqual(rows.map(({ line }) => lineText(line)), [
    "[talos] service[trustd](Waiting)",
    "apid listening on [::]:50000",
    'level=info msg="starting"',
    "up at 2026-11-27T18:21:34Z",
    "I 1842 server.go:1] ready",
    "done",
    '{"ts":"2026-11-27T18:21:35Z"}',
    "no time",
  ]);
});

Deno.test("Summary has no time stamps of the kernel log where they would leave no room for it", () => {
  const line = "user: warning: [2026-11-27T18:21:35.593372Z]: [talos] ready";
  const value = { lines: [line], dropped: 0 };
  const data = makeData([["10.0.0.2", logTail("kernel"), { value }]]);
  const last = (columns: number) =>
    renderPage(summaryPage, pageContext(data, { columns })).at(-1);
  assert.equal(last(80), "[talos] ready");
  assert.equal(last(120), line);
});

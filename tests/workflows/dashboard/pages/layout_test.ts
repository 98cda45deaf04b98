import assert from "node:assert/strict";
import { lineText } from "../../../../terminal/screen_line.ts";
import {
  drawTabs,
  findWindow,
  gauge,
  markMatch,
  sparkline,
} from "../../../../workflows/dashboard/pages/layout.ts";

const place = { path: [], id: "", at: -1, top: 0, isFollowed: true };
const rows = Array.from({ length: 100 }, (_, i) => ({
  id: `row ${i}`,
  line: `row ${i}`,
}));

Deno.test("a list keeps its selected row on the screen, also when the order changes", () => {
  const content = { head: ["head"], rows, kind: "list" } as const;
  const size = { columns: 80, rows: 11 };
  assert.deepEqual(findWindow(content, place, size), {
    from: 0,
    height: 10,
    at: 0,
  });
  const selected = { ...place, id: "row 50", at: 50 };
  assert.deepEqual(findWindow(content, selected, size), {
    from: 45,
    height: 10,
    at: 50,
  });
  const turned = { ...content, rows: rows.toReversed() };
  assert.equal(findWindow(turned, selected, size).at, 49);
  // What is gone leaves the selection where it was.
  const gone = { ...content, rows: rows.slice(60) };
  assert.equal(findWindow(gone, selected, size).at, 39);
  const empty = { ...content, rows: [] };
  assert.deepEqual(findWindow(empty, selected, size), {
    from: 0,
    height: 10,
    at: -1,
  });
});

Deno.test("a log is followed to its end, or stays where it is while lines are dropped", () => {
  const content = { head: [], rows, kind: "log", dropped: 1_000 } as const;
  const size = { columns: 80, rows: 10 };
  assert.equal(findWindow(content, place, size).from, 90);
  const held = { ...place, top: 1_040, isFollowed: false };
  assert.equal(findWindow(content, held, size).from, 40);
  assert.equal(findWindow({ ...content, dropped: 1_060 }, held, size).from, 0);
});

Deno.test("bars grow with their values", () => {
  assert.equal(sparkline([0, 1, 4, 8], 6), "  ▁▁▄█");
  assert.equal(sparkline([1, 2, 3], 2), "▆█");
  assert.equal(sparkline([0.5], 1, 1), "▄");
  assert.equal(sparkline([0, 0], 2), "▁▁");
  assert.equal(lineText(gauge("CPU", 0.5, 23)), "CPU [#####     ]  50.0%");
  assert.equal(lineText(gauge("CPU", 0.5, 3)), "CPU []  50.0%");
});

Deno.test("matches are marked in all parts of a line", () => {
  const line = [{ text: "Etcd and", style: "bad" }, { text: " etcd" }] as const;
  assert.deepEqual(markMatch(line, "etcd"), [
    { text: "Etcd", style: "match" },
    { text: " and", style: "bad" },
    { text: " ", style: undefined },
    { text: "etcd", style: "match" },
    { text: "", style: undefined },
  ]);
  assert.equal(markMatch(line, "x"), line);
  assert.equal(markMatch(line, ""), line);
});

Deno.test("of too many names those around the selected one are shown", () => {
  const names = ["kernel", "apid", "etcd", "kubelet", "trustd"];
  const text = (selected: string, width: number) =>
    lineText(drawTabs(names, selected, width));
  assert.equal(text("apid", 80), "kernel | apid | etcd | kubelet | trustd");
  assert.equal(text("etcd", 25), "apid | etcd | kubelet");
  assert.equal(text("trustd", 3), "trustd");
});

import assert from "node:assert/strict";
import { lineText, type ScreenLine } from "../../../../terminal/screen_line.ts";
import { health, vitals } from "../../../../workflows/dashboard/feeds/all.ts";
import { nodesPage } from "../../../../workflows/dashboard/pages/nodes.ts";
import { makeData, pageSite, renderPage } from "../_data.ts";

const well = {
  stage: "running",
  ready: true,
  unmet: [],
  version: "v1.12.11",
  hostname: "cp-1",
  role: "controlplane",
};

/** Styles of a line by the text they are given to. */
function styles(
  line: ScreenLine,
): Readonly<Record<string, string | undefined>> {
  return typeof line === "string" ? {} : Object.fromEntries(
    line.filter(({ style }) => style !== undefined)
      .map(({ text, style }) => [text.trim(), style]),
  );
}

Deno.test("Nodes shows the worst nodes first, each with why", () => {
  const unready = {
    ...well,
    ready: false,
    unmet: ["services: kubelet is not healthy"],
    hostname: "w-1",
    role: "worker",
  };
  const nodes = ["10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5", "10.0.0.6"];
  const data = makeData([
    ["10.0.0.2", health, { value: well }],
    ["10.0.0.2", vitals, {
      value: {
        processors: 0.125,
        memory: 0.95,
        load: 1.5,
        series: { processors: [0, 0.5, 1, 0.125], memory: [0.95] },
        times: {},
      },
    }],
    ["10.0.0.3", health, { value: unready }],
    ["10.0.0.4", health, {
      value: { ...well, hostname: "cp-3" },
      problem: "connection refused",
      isAway: true,
    }],
    ["10.0.0.5", health, { problem: "not authorized", isAway: false }],
  ]);
  const site = pageSite(data, { nodes, columns: 120 });
  assert.deepEqual(renderPage(nodesPage, site), [
    "NODE      STAGE      READY  HOSTNAME  ROLE          VERSION   CPU           MEM           LOAD  NOTE",
    "10.0.0.4  down       -      cp-3      controlplane  v1.12.11  -             -             -     connection refused",
    "10.0.0.5  no access  -      -         -             -         -             -             -     not authorized",
    "10.0.0.3  running    no     w-1       worker        v1.12.11  -             -             -     services: kubelet is not healthy",
    "10.0.0.6  ...        -      -         -             -         -             -             -",
    "10.0.0.2  running    yes    cp-1      controlplane  v1.12.11      ▁▄█▁ 13%         █ 95%  1.50",
  ]);
  const { rows } = nodesPage.draw(site);
  assert.deepEqual(rows.map(({ id }) => id.at(-1)), ["4", "5", "3", "6", "2"]);
  assert.equal(styles(rows[0]!.line).down, "bad");
  assert.equal(styles(rows[4]!.line)["█ 95%"], "bad");
  assert.equal(styles(rows[4]!.line)["▁▄█▁ 13%"], "good");
  assert.equal(
    lineText(nodesPage.header!(site)),
    "5 nodes: 1 down, 1 without access, 1 not ready, 1 not checked yet, 1 ready",
  );
  // The least important columns go first; problems stay.
  assert.equal(
    renderPage(nodesPage, pageSite(data, { nodes, columns: 45 }))[1],
    "10.0.0.4  down       connection refused",
  );
});

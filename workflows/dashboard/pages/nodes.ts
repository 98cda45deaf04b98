import { formatCount } from "../../../lib/text/count.ts";
import type { DashboardData, Reading } from "../feed.ts";
import {
  conditionStyle,
  conditionText,
  type Health,
  health,
  type Vitals,
  vitals,
} from "../feeds/all.ts";
import { findWindow, type ScreenColumn, sparkline } from "./layout.ts";
import { arrangeRows, listContent } from "./list.ts";
import type { Page, PageContext } from "./page.ts";

interface NodeRow {
  readonly node: string;
  readonly isMarked: boolean;
  readonly reading: Reading<Health>;
  readonly vitals: Reading<Vitals>;
}

/** Severity of a node's condition; the lowest number is the worst. */
function rankHealth({ value, problem, isAway }: Reading<Health>): number {
  if (problem !== undefined) return isAway ? 0 : 1;
  if (value === undefined) return 4;
  if (!value.ready) return 2;
  return value.stage === "running" ? 5 : 3;
}

function listRows({ nodes, marked, data }: PageContext): readonly NodeRow[] {
  return nodes.map((node, at) => ({
    at,
    node,
    isMarked: marked.includes(node),
    reading: data.of(node, health),
    vitals: data.of(node, vitals),
  })).sort((a, b) =>
    rankHealth(a.reading) - rankHealth(b.reading) || a.at - b.at
  );
}

/** Columns sorted by vitals, which are then needed for all nodes. */
const vitalOrders = /^-?(?:CPU|MEM|LOAD)$/;

/** Points of a sparkline, and the width from which it has all of them. */
const [shortSpark, longSpark, wide] = [8, 20, 150];

const columns = (width: number): readonly ScreenColumn<NodeRow>[] => [
  {
    header: "NODE",
    cell: ({ node, isMarked }) => isMarked ? `${node} *` : node,
    style: ({ isMarked }) => isMarked ? "changing" : undefined,
    priority: 0,
  },
  {
    header: "STAGE",
    cell: ({ reading }) => conditionText(reading),
    style: ({ reading }) => conditionStyle(reading),
    priority: 1,
  },
  {
    header: "READY",
    cell: ({ reading: { value, problem } }) =>
      value === undefined || problem !== undefined
        ? "-"
        : value.ready
        ? "yes"
        : "no",
    style: ({ reading: { value, problem } }) =>
      value === undefined || problem !== undefined
        ? undefined
        : value.ready
        ? "good"
        : "bad",
    priority: 7,
  },
  {
    header: "HOSTNAME",
    cell: ({ reading }) => reading.value?.hostname ?? "-",
    priority: 5,
  },
  {
    header: "ROLE",
    cell: ({ reading }) => reading.value?.role || "-",
    priority: 8,
  },
  {
    header: "VERSION",
    cell: ({ reading }) => reading.value?.version ?? "-",
    priority: 6,
  },
  share("CPU", 3, "processors", width),
  share("MEM", 4, "memory", width),
  {
    header: "LOAD",
    cell: ({ vitals: { value } }) => value?.load.toFixed(2) ?? "-",
    value: ({ vitals: { value } }) => value?.load ?? -1,
    priority: 9,
  },
  {
    header: "NOTE",
    cell: ({ reading: { value, problem } }) =>
      problem ?? value?.unmet.join("; ") ?? "",
    style: () => "bad",
    priority: 2,
  },
];

/** Least shares of full bars: idle processors should have a history to see, but memory that is free should look so. */
const fullBars = { processors: 0.25, memory: 1 };

function share(
  header: string,
  priority: number,
  name: "processors" | "memory",
  width: number,
): ScreenColumn<NodeRow> {
  const points = width < wide ? shortSpark : longSpark;
  const known = ({ vitals: { value } }: NodeRow) => value?.[name];
  return {
    header,
    cell({ vitals: { value } }) {
      if (value === undefined) return "-";
      const text = `${Math.round(value[name] * 100)}%`.padStart(4);
      return `${sparkline(value.series[name], points, fullBars[name])}${text}`;
    },
    value: (row) => known(row) ?? -1,
    style(row) {
      const value = known(row);
      if (value === undefined) return undefined;
      return value >= 0.9 ? "bad" : value >= 0.7 ? "changing" : "good";
    },
    priority,
  };
}

/** Number of nodes by condition, in a line: `10 nodes: 1 down, 2 not ready`. */
function countNodes(
  nodes: readonly string[],
  data: DashboardData,
): string {
  const ranks = nodes.map((node) => rankHealth(data.of(node, health)));
  const count = (...wanted: readonly number[]) =>
    ranks.filter((rank) => wanted.includes(rank)).length;
  const parts = ([
    [count(0), "down"],
    [count(1), "without access"],
    [count(2, 3), "not ready"],
    [count(4), "not checked yet"],
    [count(5), "ready"],
  ] as const).filter(([number]) => number > 0)
    .map(([number, text]) => `${number} ${text}`);
  const { length } = nodes;
  return `${formatCount(length, "node")}: ${parts.join(", ")}`;
}

/** All nodes, worst first. */
export const nodesPage: Page = {
  name: "Nodes",
  text: "all nodes, worst first; Enter shows the node",
  keys: ["f4", "4"],
  listsNodes: true,
  header: ({ nodes, marked, data }) => [
    { text: countNodes(nodes, data), style: "title" },
    {
      text: marked.length === 0 ? "" : `  ${marked.length} marked`,
      style: "changing",
    },
  ],
  needs(site) {
    const { place, size } = site;
    const table = { columns: columns(size.columns), rows: listRows(site) };
    const rows = arrangeRows(table, place)
      .map(({ node }) => ({ id: node, line: "" }));
    const content = { head: [""], rows, kind: "list" } as const;
    const { from, height } = findWindow(content, place, size);
    const measured = vitalOrders.test(place.sort)
      ? site.nodes
      // Metrics are only needed for nodes on the screen.
      : rows.slice(from, from + height).map(({ id }) => id);
    return [
      ...site.nodes.map((node) => ({ node, feed: health })),
      ...measured.map((node) => ({ node, feed: vitals })),
    ];
  },
  draw: (site) =>
    listContent({
      columns: columns(site.size.columns),
      rows: listRows(site),
      id: ({ node }) => node,
    }, site),
};

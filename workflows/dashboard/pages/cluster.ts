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
import {
  findWindow,
  percent,
  type ScreenColumn,
  tableLines,
} from "./layout.ts";
import type { Page, PageContext } from "./page.ts";

interface ClusterPageRow {
  readonly node: string;
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

function listRows({ nodes, data }: PageContext): readonly ClusterPageRow[] {
  return nodes.map((node, at) => ({
    at,
    node,
    reading: data.of(node, health),
    vitals: data.of(node, vitals),
  })).sort((a, b) =>
    rankHealth(a.reading) - rankHealth(b.reading) || a.at - b.at
  );
}

const columns: readonly ScreenColumn<ClusterPageRow>[] = [
  { header: "NODE", cell: ({ node }) => node, priority: 0 },
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
    priority: 3,
  },
  {
    header: "HOSTNAME",
    cell: ({ reading }) => reading.value?.hostname ?? "-",
    priority: 4,
  },
  {
    header: "ROLE",
    cell: ({ reading }) => reading.value?.role || "-",
    priority: 6,
  },
  {
    header: "VERSION",
    cell: ({ reading }) => reading.value?.version ?? "-",
    priority: 5,
  },
  share("CPU", 7, ({ processors }) => processors),
  share("MEM", 8, ({ memory }) => memory),
  {
    header: "LOAD",
    cell: ({ vitals: { value } }) => value?.load.toFixed(2) ?? "-",
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

function share(
  header: string,
  priority: number,
  of: (vitals: Vitals) => number,
): ScreenColumn<ClusterPageRow> {
  const known = ({ vitals: { value } }: ClusterPageRow) =>
    value === undefined ? undefined : of(value);
  return {
    header,
    cell: (row) => {
      const value = known(row);
      return value === undefined ? "-" : percent(value);
    },
    style: (row) => (known(row) ?? 0) >= 0.9 ? "bad" : undefined,
    priority,
  };
}

/** Number of nodes by condition, in a line: `10 nodes: 1 down, 2 not ready`. */
function clusterText(
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
export const clusterPage: Page = {
  name: "Cluster",
  text: "all nodes, worst first; Enter shows the node",
  keys: ["f4", "4"],
  listsNodes: true,
  header: ({ nodes, data }) => [
    { text: clusterText(nodes, data), style: "title" },
  ],
  needs(site) {
    const rows = listRows(site);
    const ids = rows.map(({ node }) => ({ id: node, line: "" }));
    const content = { head: [""], rows: ids, kind: "list" } as const;
    const { from, height } = findWindow(content, site.place, site.size);
    return [
      ...site.nodes.map((node) => ({ node, feed: health })),
      // Metrics are only needed for nodes on the screen.
      ...rows.slice(from, from + height)
        .map(({ node }) => ({ node, feed: vitals })),
    ];
  },
  draw(site) {
    const rows = listRows(site);
    const { header, lines } = tableLines(columns, rows, site.size.columns);
    return {
      head: [header],
      rows: rows.map(({ node }, i) => ({ id: node, line: lines[i] ?? "" })),
      kind: "list",
    };
  },
};

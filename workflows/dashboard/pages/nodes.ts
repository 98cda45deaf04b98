import { formatCount } from "../../../lib/text/count.ts";
import type { DashboardData, Reading } from "../feed.ts";
import {
  conditionStyle,
  conditionText,
  etcd,
  formatValue,
  type Health,
  health,
  resources,
  specsIn,
  type Vitals,
  vitals,
} from "../feeds/all.ts";
import { cutMiddle, measureWidths } from "../../../terminal/table.ts";
import { etcdAttention } from "./etcd.ts";
import {
  findWindow,
  formatLate,
  formatReason,
  type ScreenColumn,
  sparkline,
} from "./layout.ts";
import { arrangeRows, listContent } from "./list.ts";
import type { Page, PageContext } from "./page.ts";

interface NodeRow {
  readonly node: string;
  readonly isMarked: boolean;
  /** Host name, or `-`. */
  readonly hostname: string;
  /** Role, or `-`. */
  readonly role: string;
  readonly reading: Reading<Health>;
  readonly isCordoned: boolean;
  readonly vitals: Reading<Vitals>;
}

/** Severity of a node's condition; the lowest number is the worst. */
function rankHealth({ value, problem, isAway }: Reading<Health>): number {
  if (problem !== undefined) return isAway ? 0 : 1;
  if (value === undefined) return 4;
  if (!value.ready) return 2;
  return value.stage === "running" ? 5 : 3;
}

function listRows(context: PageContext): readonly NodeRow[] {
  const { nodes, marked, data } = context;
  const members = readMembers(context);
  return nodes.map((node, at) => {
    const reading = data.of(node, health);
    const member = members.get(node);
    return {
      at,
      node,
      isMarked: marked.includes(node),
      hostname: reading.value?.hostname || member?.hostname || "-",
      role: reading.value?.role || member?.role || "-",
      reading,
      isCordoned: isCordoned(data, node),
      // What a node used before it was down is not what it uses.
      vitals: reading.problem === undefined ? data.of(node, vitals) : {},
    };
  }).sort((a, b) =>
    rankHealth(a.reading) - rankHealth(b.reading) || a.at - b.at
  );
}

/** Columns sorted by vitals, which are then needed for all nodes. */
const vitalOrders = /^-?(?:CPU|MEM|LOAD)$/;

/** Most points of a sparkline, and the least that are worth their columns. */
const points = { most: 20, least: 4 };

/** Columns of the table besides names, sparklines and note in a narrow and a wide terminal; and of a note. */
const widths = { few: 50, all: 64, note: 30 };

/** From this width, host names and roles are shown whole, and whether a node is ready has its own column. */
const wide = 110;

/** Sparklines take the room that the other columns leave. */
function sparkPoints(rows: readonly NodeRow[], width: number): number {
  const longest = (text: (row: NodeRow) => string) =>
    Math.max(0, ...rows.map((row) => text(row).length));
  const used = longest(({ node }) => node) +
    longest(({ hostname }) => hostname) +
    (width < wide ? widths.few : widths.all) +
    (longest(noteText) === 0
      ? 0
      : Math.min(widths.note, longest(noteText) + 2));
  const room = Math.min(points.most, Math.floor((width - used) / 2));
  return room < points.least ? 0 : room;
}

function noteText(row: NodeRow): string {
  return formatReason(wholeNote(row));
}

function wholeNote(
  { reading: { value, problem, lateMs }, isCordoned }: NodeRow,
): string {
  const late = value === undefined || lateMs === undefined
    ? []
    : [formatLate(lateMs)];
  const cordoned = isCordoned ? ["cordoned"] : [];
  return problem ??
    [...late, ...cordoned, ...value?.unmet ?? []].join("; ");
}

function makeColumns(
  rows: readonly NodeRow[],
  width: number,
): readonly ScreenColumn<NodeRow>[] {
  const room = sparkPoints(rows, width);
  const isWide = width >= wide;
  const columns: readonly ScreenColumn<NodeRow>[] = [
    {
      header: "NODE",
      cell: ({ node, isMarked }) => isMarked ? `${node} *` : node,
      style: ({ isMarked }) => isMarked ? "changing" : undefined,
      priority: 0,
    },
    {
      header: "HOSTNAME",
      cell: ({ hostname }) => hostname,
      priority: 2,
    },
    {
      header: "STAGE",
      cell: ({ reading }) =>
        !isWide && isUnready(reading) ? "not ready" : conditionText(reading),
      style: ({ reading }) =>
        !isWide && isUnready(reading)
          ? "bad"
          : reading.lateMs === undefined
          ? conditionStyle(reading)
          : "changing",
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
      header: "VERSION",
      cell: ({ reading }) => reading.value?.version || "-",
      priority: 4,
    },
    share("CPU", 6, "processors", room),
    share("MEM", 7, "memory", room),
    {
      header: "LOAD",
      cell: ({ vitals: { value } }) => value?.load.toFixed(2) ?? "-",
      value: ({ vitals: { value } }) => value?.load ?? -1,
      priority: 9,
    },
    {
      header: "ROLE",
      cell: ({ role }) => !isWide && role === "controlplane" ? "cp" : role,
      priority: 5,
    },
    {
      header: "NOTE",
      cell: noteText,
      style: ({ reading: { value, problem } }) =>
        problem === undefined && value?.unmet.length === 0 ? "changing" : "bad",
      priority: 8,
    },
  ];
  if (isWide) return columns;
  const narrow = columns.filter(({ header }) => header !== "READY");
  const longest = nameRoom(rows, narrow, width);
  return narrow.map((column) =>
    column.header === "HOSTNAME"
      ? { ...column, cell: ({ hostname }) => cutMiddle(hostname, longest) }
      : column
  );
}

/** True for a node that runs, but is not ready: in a narrow terminal its stage says so. */
function isUnready({ value, problem }: Reading<Health>): boolean {
  return problem === undefined && value?.stage === "running" && !value.ready;
}

/** Host names of this length are shown whole, even if columns are dropped for it. */
const leastName = 24;

/** Columns of a host name in a narrow terminal, beside all columns up to memory. */
function nameRoom(
  rows: readonly NodeRow[],
  columns: readonly ScreenColumn<NodeRow>[],
  width: number,
): number {
  const others = columns.filter(({ header, priority }) =>
    priority <= 7 && header !== "HOSTNAME"
  );
  const used = measureWidths([
    others.map(({ header }) => header),
    ...rows.map((row) => others.map(({ cell }) => cell(row))),
  ]).reduce((sum, one) => sum + one + 2, 0);
  return Math.max(leastName, width - used);
}

/** Least shares of full bars: idle processors should have a history to see, but memory that is free should look so. */
const fullBars = { processors: 0.25, memory: 1 };

function share(
  header: string,
  priority: number,
  name: "processors" | "memory",
  room: number,
): ScreenColumn<NodeRow> {
  const known = ({ vitals: { value } }: NodeRow) => value?.[name];
  return {
    header,
    cell({ vitals: { value } }) {
      if (value === undefined) return "-";
      const text = `${Math.round(value[name] * 100)}%`.padStart(4);
      return `${sparkline(value.series[name], room, fullBars[name])}${text}`;
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
  needs(context) {
    const { place, size } = context;
    const all = listRows(context);
    const columns = makeColumns(all, size.columns);
    const rows = arrangeRows({ columns, rows: all }, place)
      .map(({ node }) => ({ id: node, line: "" }));
    const content = { head: [""], rows, kind: "list" } as const;
    const member = findMember(context);
    const { from, height } = findWindow(content, place, size);
    // Metrics are only needed for nodes on the screen.
    const shown = rows.slice(from, from + height).map(({ id }) => id);
    const measured = vitalOrders.test(place.sort) ? context.nodes : shown;
    return [
      ...shown.map((node) => ({ node, feed: kubernetesNodes })),
      ...context.nodes.map((node) => ({ node, feed: health })),
      ...measured.map((node) => ({ node, feed: vitals })),
      ...member === undefined
        ? []
        : [{ node: member, feed: etcd }, { node: member, feed: members }],
    ];
  },
  draw(context) {
    const rows = listRows(context);
    const columns = makeColumns(rows, context.size.columns);
    const head = etcdAttention(context.data, findMember(context));
    const content = listContent(
      { head, columns, rows, id: ({ node }) => node },
      context,
    );
    const notes = new Map(rows.map((row) => {
      const name = row.hostname === "-" ? row.node : row.hostname;
      const note = wholeNote(row);
      return [row.node, note && `${name}: ${note}`];
    }));
    return {
      ...content,
      rows: content.rows.map((row) => ({
        ...row,
        note: notes.get(row.id) ?? "",
      })),
    };
  },
};

const members = resources("cluster", "Members.cluster");

/** What Kubernetes says about the node; empty without Kubernetes. */
const kubernetesNodes = resources("k8s", "NodeStatuses.kubernetes");

function isCordoned(data: DashboardData, node: string): boolean {
  return [...specsIn(data, node, kubernetesNodes).values()]
    .some(({ unschedulable }) => unschedulable === true);
}

/** Members of the cluster by address, which names nodes that have not answered yet. */
function readMembers(
  context: Pick<PageContext, "nodes" | "data">,
): ReadonlyMap<string, Pick<Health, "hostname" | "role">> {
  const { nodes, data } = context;
  const node = findMember(context);
  const isKnown = nodes.every((one) => data.of(one, health).value);
  if (node === undefined || isKnown) return new Map();
  return new Map(
    [...specsIn(data, node, members).values()].flatMap(
      ({ addresses, hostname, machineType }) =>
        (Array.isArray(addresses) ? addresses : []).map((address) =>
          [String(address), {
            hostname: formatValue(hostname),
            role: formatValue(machineType),
          }] as const
        ),
    ),
  );
}

/** The first control plane that answers, for questions about the cluster. */
function findMember(
  { nodes, data }: Pick<PageContext, "nodes" | "data">,
): string | undefined {
  return nodes.find((node) => {
    const { value, problem } = data.of(node, health);
    return value?.role === "controlplane" && problem === undefined;
  });
}

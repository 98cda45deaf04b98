/** etcd page: members, leader, alarms, and database size. */

import { domain } from "../../../talos.ts";
import { bytesText } from "../../../terminal/units.ts";
import type { ScreenLine } from "../../../terminal/screen_line.ts";
import { withoutAlarms } from "../../etcd/etcd_facts.ts";
import type { DashboardData } from "../feed.ts";
import { etcd, type EtcdMember, type EtcdView, logTail } from "../feeds/all.ts";
import {
  type Fact,
  factBlocks,
  formatReason,
  percent,
  problemLines,
  type ScreenColumn,
} from "./layout.ts";
import { listContent } from "./list.ts";
import { logContent } from "./logs.ts";
import type { Page, PageContent, PageContext } from "./page.ts";

/** The members of etcd. */
export const etcdPage: Page = {
  name: "etcd",
  text: "etcd members, leader, alarms and database size; Enter shows a member",
  keys: ["f5", "5"],
  opens: ({ path }) => path.length === 0,
  resource: () => [`etcd EtcdMembers.etcd.${domain} `, "local"],
  rowNode: (context, id) =>
    openMember({ ...context, path: [id] })?.address ?? "",
  needs(context) {
    const member = openMember(context);
    return [
      { node: context.node, feed: etcd },
      ...member?.address
        ? [{ node: member.address, feed: logTail("etcd") }]
        : [],
    ];
  },
  draw(context) {
    const { data, node, path: [id] } = context;
    const { value, problem } = data.of(node, etcd);
    const problems = problemLines(problem);
    if (value === undefined) {
      const head = problems.length > 0 ? problems : ["Waiting for etcd"];
      return { head, rows: [], kind: "list" };
    }
    if (id !== undefined) return drawMember(context, value, id);
    return listContent({
      head: [...problems, ...drawHead(value)],
      columns: makeColumns(value),
      rows: value.members,
      id: ({ id }) => id,
    }, context);
  },
};

function openMember(
  { data, node, path: [id] }: PageContext,
): EtcdMember | undefined {
  return data.of(node, etcd).value?.members.find((one) => one.id === id);
}

/** A member: the facts of the list, and the log of its etcd. */
function drawMember(
  context: PageContext,
  view: EtcdView,
  id: string,
): PageContent {
  const member = openMember(context);
  if (member === undefined) {
    return {
      head: problemLines(`etcd has no member ${id}`),
      rows: [],
      kind: "list",
    };
  }
  const facts = makeColumns(view).map((column): Fact => [
    column.header,
    column.cell(member) || "-",
    column.style?.(member),
  ]);
  const half = Math.ceil(facts.length / 2);
  return logContent(context, member.address, logTail("etcd"), [
    ...factBlocks(
      [facts.slice(0, half), facts.slice(half)],
      context.size.columns,
    ),
    [{ text: "Log of etcd", style: "title" }],
  ]);
}

/** Line with what needs attention in etcd; none if there is nothing. `node`: the node that was asked. */
export function etcdAttention(
  data: DashboardData,
  node: string | undefined,
): readonly ScreenLine[] {
  const { value } = node === undefined ? {} : data.of(node, etcd);
  if (value === undefined) return [];
  const { members, alarms = [] } = value;
  const { leaders, quorum, healthy } = summarize(value);
  const problems = [
    ...alarms.map((alarm) => formatAlarm(alarm, members)),
    ...healthy.length < quorum ? ["no quorum"] : leaders.length === 1 ? [] : [
      leaders.length > 1 ? "members disagree about the leader" : "no leader",
    ],
    ...members.flatMap(({ hostname, id, status, problem }) =>
      status === undefined
        ? `${hostname || id} is down: ${formatReason(problem ?? "no answer")}`
        : withoutAlarms(status.errors).map((error) =>
          `${hostname || id}: ${error}`
        )
    ),
  ];
  return problems.length === 0
    ? []
    : problemLines(`etcd (F5): ${problems.join("; ")}`);
}

function formatAlarm(
  { name, member }: NonNullable<EtcdView["alarms"]>[number],
  members: readonly EtcdMember[],
): string {
  const found = members.find(({ id }) => id === member);
  return `${name} on ${found?.hostname || member}`;
}

function summarize({ members }: EtcdView) {
  const voting = members.filter(({ isLearner }) => !isLearner);
  const leaders = members.flatMap(({ status }) => status?.leader ?? []);
  return {
    voting,
    healthy: voting.filter(({ status }) => status !== undefined),
    quorum: (voting.length >> 1) + 1,
    /** Leaders of members that answer. */
    leaders: [...new Set(leaders)].filter((id) => !/^0*$/.test(id)),
  };
}

function drawHead(view: EtcdView): readonly ScreenLine[] {
  const { node, members, alarms } = view;
  const { voting, healthy, quorum, leaders } = summarize(view);
  const [leader] = leaders;
  const name = members.find(({ id }) => id === leader)?.hostname;
  const from = members.find(({ address }) => address === node)?.hostname;
  return [
    [
      { text: "Leader ", style: "muted" },
      leaders.length > 1
        ? { text: "members disagree", style: "bad" }
        : name === undefined
        ? { text: "none", style: "bad" }
        : { text: name },
      { text: "  Answering ", style: "muted" },
      {
        text: `${healthy.length} of ${voting.length}`,
        style: healthy.length < quorum
          ? "bad"
          : healthy.length < voting.length
          ? "changing"
          : "good",
      },
      { text: `  Quorum ${quorum}`, style: "muted" },
      { text: "  Seen from ", style: "muted" },
      { text: from || node },
    ],
    [
      { text: "Alarms ", style: "muted" },
      alarms === undefined
        ? { text: "unknown: the client certificate has no access to them" }
        : alarms.length === 0
        ? { text: "none", style: "good" }
        : {
          text: alarms.map((alarm) => formatAlarm(alarm, members)).join(", "),
          style: "bad",
        },
    ],
  ];
}

function makeColumns(
  { members }: EtcdView,
): readonly ScreenColumn<EtcdMember>[] {
  const most = Math.max(
    0,
    ...members.map(({ status }) => status?.raftIndex ?? 0),
  );
  const known =
    (text: (status: NonNullable<EtcdMember["status"]>) => string) =>
    ({ status }: EtcdMember) => status === undefined ? "-" : text(status);
  return [
    {
      header: "HOSTNAME",
      cell: ({ hostname }) => hostname || "-",
      priority: 0,
    },
    {
      header: "STATE",
      cell: ({ id, status, isLearner }) =>
        status === undefined
          ? "down"
          : isLearner
          ? "learner"
          : status.leader === id
          ? "leader"
          : "follower",
      style: ({ status, isLearner }) =>
        status === undefined ? "bad" : isLearner ? "changing" : "good",
      priority: 1,
    },
    {
      header: "DB SIZE",
      cell: known(({ size }) => bytesText(size)),
      value: ({ status }) => status?.size ?? -1,
      priority: 2,
    },
    {
      header: "IN USE",
      cell: known(({ size, used }) => size === 0 ? "-" : percent(used / size)),
      priority: 4,
    },
    {
      header: "BEHIND",
      cell: known(({ raftIndex }) => String(most - raftIndex)),
      priority: 5,
    },
    {
      header: "TERM",
      cell: known(({ raftTerm }) => `${raftTerm}`),
      priority: 7,
    },
    { header: "ADDRESS", cell: ({ address }) => address || "-", priority: 6 },
    { header: "MEMBER", cell: ({ id }) => id, priority: 8 },
    {
      header: "NOTE",
      cell: ({ status, problem }) =>
        problem === undefined
          ? status ? withoutAlarms(status.errors).join("; ") : ""
          : formatReason(problem),
      style: () => "bad",
      priority: 3,
    },
  ];
}

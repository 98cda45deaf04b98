/** etcd page: members, leader, alarms, and database size. */

import { bytesText } from "../../../terminal/units.ts";
import type { ScreenLine } from "../../../terminal/screen_line.ts";
import { etcd, type EtcdMember, type EtcdView } from "../feeds/all.ts";
import {
  percent,
  problemLine,
  type ScreenColumn,
  tableLines,
} from "./layout.ts";
import type { Page } from "./page.ts";

/** The members of etcd. */
export const etcdPage: Page = {
  name: "etcd",
  text: "etcd members, leader, alarms and database size",
  keys: ["f5", "5"],
  needs: ({ node }) => [{ node, feed: etcd }],
  draw({ data, node, size: { columns } }) {
    const { value, problem } = data.of(node, etcd);
    const problems = problem === undefined ? [] : [problemLine(problem)];
    if (value === undefined) {
      const head = problems.length > 0 ? problems : ["Waiting for etcd"];
      return { head, rows: [], kind: "list" };
    }
    const { header, lines } = tableLines(
      makeColumns(value),
      value.members,
      columns,
    );
    return {
      head: [...problems, ...drawHead(value), header],
      rows: value.members.map(({ id }, i) => ({ id, line: lines[i] ?? "" })),
      kind: "list",
    };
  },
};

function drawHead({ node, members, alarms }: EtcdView): readonly ScreenLine[] {
  const voting = members.filter(({ isLearner }) => !isLearner);
  const healthy = voting.filter(({ status }) => status !== undefined);
  const quorum = (voting.length >> 1) + 1;
  const leaders = new Set(
    members.flatMap(({ status }) => status === undefined ? [] : status.leader),
  );
  const [leader = ""] = leaders;
  const name = members.find(({ id }) => id === leader)?.hostname;
  const findName = (member: string) =>
    members.find(({ id }) => id === member)?.hostname || member;
  return [
    [
      { text: "Seen from ", style: "muted" },
      { text: node },
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
      { text: "  Leader ", style: "muted" },
      leaders.size > 1
        ? { text: "members disagree", style: "bad" }
        : name === undefined
        ? { text: "none", style: "bad" }
        : { text: name },
    ],
    alarms.length === 0
      ? [{ text: "Alarms ", style: "muted" }, { text: "none", style: "good" }]
      : [
        { text: "Alarms ", style: "muted" },
        {
          text: alarms.map(({ name, member }) =>
            `${name} on ${findName(member)}`
          )
            .join(", "),
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
      cell: ({ status, problem }) => problem ?? status?.errors.join("; ") ?? "",
      style: () => "bad",
      priority: 3,
    },
  ];
}

/** Runs on this machine, and the details of a run. */

import { relativeTime } from "../../../terminal/units.ts";
import { progressTone } from "../../../terminal/tone.ts";
import { drawRun } from "../../runbooks/report/run_screen.ts";
import { formatValue, resources, type RunLine, specsIn } from "../feeds/all.ts";
import { problemLines, type ScreenColumn, textRows } from "./layout.ts";
import { listContent } from "./list.ts";
import type { Page, PageContent, PageContext } from "./page.ts";

/** Runs of runbooks. */
export const runsPage: Page = {
  name: "Runs",
  text: "runbook runs; Enter shows one",
  keys: ["f6", "6"],
  subject: "run",
  header: () => [{ text: "Runs on this machine", style: "title" }],
  opens: ({ path }) => path.length === 0,
  resource: () => undefined,
  needs: ({ path: [id], runs, node }) => [
    { node: "", feed: id === undefined ? runs.list : runs.detail(id) },
    { node, feed: clusterInfo },
  ],
  draw(context) {
    const [id] = context.path;
    return id === undefined ? list(context) : detail(context, id);
  },
};

function list(context: PageContext): PageContent {
  const { value, problem } = context.data.of("", context.runs.list);
  if (problem !== undefined) {
    return { head: problemLines(problem), rows: [], kind: "list" };
  }
  if (value?.length === 0) {
    const head = ["No runbook has run on this machine"];
    return { head, rows: [], kind: "list" };
  }
  return listContent({
    columns: makeColumns(context),
    rows: value,
    id: ({ id }) => id,
  }, context);
}

function detail(
  { data, runs, now, size: { columns } }: PageContext,
  id: string,
): PageContent {
  const { value, problem } = data.of("", runs.detail(id));
  const lines = value === undefined
    ? []
    // As many lines as it needs: the page scrolls.
    : [
      ...drawRun(value.run, { columns, rows: 1_000 }, now),
      [{ text: "Events, the latest first", style: "title" as const }],
      ...value.lines.toReversed(),
    ];
  return {
    head: problemLines(problem),
    rows: textRows(lines),
    kind: "text",
  };
}

const clusterInfo = resources("cluster", "Infos.cluster", "current");

/** True for a run of a cluster that is not that of the nodes; false while theirs is unknown. */
export function isForeign(
  { clusterId }: Pick<RunLine, "clusterId">,
  { nodes, data }: Pick<PageContext, "nodes" | "data">,
): boolean {
  const ids = nodes.map((node) =>
    formatValue(specsIn(data, node, clusterInfo).get("current")?.clusterId)
  );
  const own = ids.find((id) => id !== "");
  return own !== undefined && clusterId !== "" && clusterId !== own;
}

function makeColumns(context: PageContext): readonly ScreenColumn<RunLine>[] {
  return [
    { header: "RUN", cell: ({ id }) => id, priority: 0 },
    {
      header: "STATE",
      cell: ({ state }) => state,
      style: ({ state }) => progressTone(state),
      priority: 1,
    },
    { header: "RUNBOOK", cell: ({ runbook }) => runbook || "-", priority: 2 },
    { header: "CLUSTER", cell: ({ cluster }) => cluster || "-", priority: 3 },
    {
      header: "STARTED",
      cell: ({ at }) => relativeTime(at, new Date(context.now)),
      value: ({ at }) => Date.parse(at),
      priority: 4,
    },
    { header: "BY", cell: ({ operator }) => operator, priority: 6 },
    {
      header: "NEXT",
      cell: (run) =>
        run.next === undefined
          ? ""
          : isForeign(run, context)
          ? "other cluster"
          : "r resumes it",
      priority: 5,
    },
  ];
}

/** Containers of a node, and one of them with its log. */

import { containerRuntime } from "../../../transport/node/containers.ts";
import type { ContainerInfo } from "../../../transport/gen/machine_container.ts";
import { cutMiddle, measureWidths } from "../../../terminal/table.ts";
import { stateTone } from "../../../terminal/tone.ts";
import { containers, logTail } from "../feeds/all.ts";
import {
  type Fact,
  factBlocks,
  problemLines,
  type ScreenColumn,
} from "./layout.ts";
import { listContent } from "./list.ts";
import { logContent } from "./logs.ts";
import type { Page, PageContext } from "./page.ts";

/** The containers of a node. */
export const containersPage: Page = {
  name: "Containers",
  text: "containers of the node; Enter shows the log of one",
  keys: ["f10", "0"],
  opens: ({ path }) => path.length === 0,
  resource: () => undefined,
  needs: (context) => [
    { node: context.node, feed: containers },
    ...context.path.length === 0
      ? []
      : [{ node: context.node, feed: ownLog(context) }],
  ],
  draw(context) {
    const { data, node, path: [id], size } = context;
    const { value, problem } = data.of(node, containers);
    if (id === undefined) {
      return listContent({
        head: problemLines(problem),
        columns: makeColumns(value ?? [], size.columns),
        rows: value,
        id: formatWord,
      }, context);
    }
    const container = value?.find((one) => formatWord(one) === id);
    const facts = columns.map(({ header, cell, style }): Fact => [
      header,
      container === undefined ? "n/a" : cell(container),
      container && style?.(container),
    ]);
    return logContent(context, node, ownLog(context), [
      ...factBlocks([facts], context.size.columns),
      [{ text: "Log", style: "title" }],
    ]);
  },
};

/** Row id of a container. */
function formatWord({ namespace, id }: ContainerInfo): string {
  return `${namespace} ${id}`;
}

function ownLog({ path: [word = ""] }: PageContext) {
  const [namespace, id = ""] = word.split(" ");
  return logTail(id, namespace === containerRuntime(true).namespace);
}

/** The columns; names of pods are cut where the status would have no room. */
function makeColumns(
  rows: readonly ContainerInfo[],
  width: number,
): readonly ScreenColumn<ContainerInfo>[] {
  const [pod, name, status, ...others] = columns;
  if (!pod || !name || !status) return columns;
  const used = measureWidths([
    [name.header, status.header],
    ...rows.map((row) => [name.cell(row), status.cell(row)]),
  ]).reduce((sum, one) => sum + one + 2, 0);
  const room = Math.max(leastPod, width - used - 2);
  const cell = (row: ContainerInfo) => cutMiddle(pod.cell(row), room);
  return [{ ...pod, cell }, name, status, ...others];
}

/** Least columns for the name of a pod. */
const leastPod = 20;

const columns: readonly ScreenColumn<ContainerInfo>[] = [
  {
    header: "POD",
    cell: ({ id, podId }) => id === podId ? "-" : podId,
    priority: 1,
  },
  { header: "CONTAINER", cell: ({ name, id }) => name || id, priority: 0 },
  {
    header: "STATUS",
    cell: ({ status }) => status.replace(/^CONTAINER_/, "").toLowerCase(),
    style: ({ status }) => stateTone(status.replace(/^.*_/, "")),
    priority: 2,
  },
  {
    header: "PID",
    cell: ({ pid }) => pid === 0 ? "-" : `${pid}`,
    value: ({ pid }) => pid,
    priority: 4,
  },
  { header: "NAMESPACE", cell: ({ namespace }) => namespace, priority: 5 },
  { header: "IMAGE", cell: ({ image }) => image, priority: 3 },
];

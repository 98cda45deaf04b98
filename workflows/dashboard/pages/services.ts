/** Services of a node, and one of them with its events and its log. */

import { domain } from "../../../talos.ts";
import { relativeTime } from "../../../terminal/units.ts";
import { stateTone } from "../../../terminal/tone.ts";
import { logTail, services, type ServiceState } from "../feeds/all.ts";
import {
  factBlocks,
  problemLines,
  type ScreenColumn,
  tableLines,
} from "./layout.ts";
import { listContent } from "./list.ts";
import { logContent } from "./logs.ts";
import type { Page, PageContent, PageContext } from "./page.ts";

/** The services of a node. */
export const servicesPage: Page = {
  name: "Services",
  text: "services of the node; Enter shows one with its events and its log",
  keys: ["f9", "9"],
  subject: "service",
  opens: ({ path }) => path.length === 0,
  resource: (id) => [`runtime Services.v1alpha1.${domain} `, id],
  needs: ({ node, path: [id] }) => [
    { node, feed: services },
    ...id === undefined ? [] : [{ node, feed: logTail(id) }],
  ],
  draw(context) {
    const { data, node, now, path: [id] } = context;
    if (id !== undefined) return drawService(context, id);
    const { value, problem } = data.of(node, services);
    return listContent({
      head: problemLines(problem),
      columns: makeColumns(new Date(now)),
      rows: value,
      id: ({ id }) => id,
    }, context);
  },
};

function formatHealth({ isHealthy }: ServiceState): string {
  return isHealthy === undefined ? "-" : isHealthy ? "healthy" : "unhealthy";
}

function makeColumns(now: Date): readonly ScreenColumn<ServiceState>[] {
  return [
    { header: "SERVICE", cell: ({ id }) => id, priority: 0 },
    {
      header: "STATE",
      cell: ({ state }) => state,
      style: ({ state }) => stateTone(state),
      priority: 1,
    },
    {
      header: "HEALTH",
      cell: formatHealth,
      style: (service) => stateTone(formatHealth(service)),
      priority: 2,
    },
    {
      header: "CHANGED",
      cell: ({ events = [] }) =>
        events.length === 0 ? "-" : relativeTime(events.at(-1)!.time, now),
      value: ({ events = [] }) => Date.parse(events.at(-1)?.time ?? "") || 0,
      priority: 4,
    },
    {
      header: "LAST EVENT",
      cell: ({ events = [] }) => events.at(-1)?.message ?? "",
      priority: 3,
    },
  ];
}

/** Events above the log of a service. */
const mostEvents = 5;

function drawService(context: PageContext, id: string): PageContent {
  const { data, node, now, size } = context;
  const { value } = data.of(node, services);
  const service = value?.find((one) => one.id === id);
  const { state = "n/a", healthMessage = "", events = [] } = service ?? {};
  const health = service === undefined ? "n/a" : formatHealth(service);
  const { lines } = tableLines(
    [
      { header: "", cell: ({ state }) => state, priority: 1 },
      {
        header: "",
        cell: ({ time }) => relativeTime(time, new Date(now)),
        priority: 2,
      },
      { header: "", cell: ({ message }) => message, priority: 0 },
    ],
    events.slice(-mostEvents).toReversed(),
    size.columns,
  );
  return logContent(context, node, logTail(id), [
    ...factBlocks([
      [["SERVICE", id], ["STATE", state, stateTone(state)]],
      [
        ["HEALTH", health, stateTone(health)],
        ["LAST CHECK", healthMessage || "-"],
      ],
    ], size.columns),
    [{ text: "Events", style: "title" }],
    ...lines,
    [{ text: `Log of ${id}`, style: "title" }],
  ]);
}

import type { ScreenLine } from "../../../terminal/screen_line.ts";
import { logTone } from "../../../terminal/tone.ts";
import type { Feed } from "../feed.ts";
import { logNames, type LogTail, logTail, services } from "../feeds/all.ts";
import { drawTabs, problemLines } from "./layout.ts";
import type { Page, PageContent, PageContext } from "./page.ts";

/** Page with a log of a node. */
export const logsPage: Page = {
  name: "Logs",
  text: "the kernel log, or the log of a service",
  keys: ["f3", "3"],
  needs: ({ node, log }) => [
    { node, feed: services },
    { node, feed: logTail(log) },
  ],
  draw(context) {
    const { data, node, log, place, size } = context;
    const follows = place.isFollowed ? "following" : "f follows";
    const tabs = drawTabs(logNames(data, node), log, size.columns - 12);
    return logContent(context, node, logTail(log), [
      [...tabs, { text: `  ${follows}`, style: "muted" }],
    ]);
  },
};

/** The end of a log below fixed lines. */
export function logContent(
  { data }: PageContext,
  node: string,
  feed: Feed<LogTail>,
  head: readonly ScreenLine[],
): PageContent {
  const { value, problem } = data.of(node, feed);
  const { lines = [], dropped = 0 } = value ?? {};
  return {
    head: [
      ...head,
      ...problemLines(problem),
      ...problem === undefined && lines.length === 0
        ? [[{ text: "No lines received", style: "muted" as const }]]
        : [],
    ],
    rows: lines.map((text) => ({
      id: "",
      line: [{ text, style: logTone(text) }],
    })),
    kind: "log",
    dropped,
  };
}

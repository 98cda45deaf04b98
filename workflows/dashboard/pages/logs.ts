import { logTone } from "../../../terminal/tone.ts";
import { logNames, logTail, services } from "../feeds/all.ts";
import { drawTabs, problemLine } from "./layout.ts";
import type { Page } from "./page.ts";

/** Page with a log of a node. */
export const logsPage: Page = {
  name: "Logs",
  text: "the kernel log, or the log of a service",
  keys: ["f3", "3"],
  needs: ({ node, log }) => [
    { node, feed: services },
    { node, feed: logTail(log) },
  ],
  draw({ data, node, log, place, size }) {
    const { value, problem } = data.of(node, logTail(log));
    const { lines = [], dropped = 0 } = value ?? {};
    const follows = place.isFollowed ? "following" : "f follows";
    const tabs = drawTabs(logNames(data, node), log, size.columns - 12);
    return {
      head: [
        [...tabs, { text: `  ${follows}`, style: "muted" }],
        ...problem === undefined ? [] : [problemLine(problem)],
      ],
      rows: lines.map((text) => ({
        id: "",
        line: [{ text, style: logTone(text) }],
      })),
      kind: "log",
      dropped,
    };
  },
};

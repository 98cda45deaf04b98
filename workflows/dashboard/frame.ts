import { formatDuration } from "../../lib/duration.ts";
import type { Size } from "../../terminal/environment.ts";
import {
  lineText,
  type ScreenLine,
  type Span,
} from "../../terminal/screen_line.ts";
import { ibytesText } from "../../terminal/units.ts";
import { health, metrics } from "./feeds/all.ts";
import { pages } from "./pages/all.ts";
import { drawTabs, findWindow, markMatch, percent } from "./pages/layout.ts";
import type { PageContent, PageContext } from "./pages/page.ts";
import {
  type DashboardContext,
  type DashboardState,
  drawContent,
} from "./state.ts";

/** Draws the dashboard. Returns one line for each row of the terminal. */
export function draw(
  state: DashboardState,
  site: DashboardContext,
): readonly ScreenLine[] {
  const { own, content } = drawContent(state, site);
  const body = drawBody(content, own, state.search);
  const blank = Array<string>(Math.max(0, own.size.rows - body.length)).fill(
    "",
  );
  // A single row only has room for the most important line.
  return [
    drawHeader(state, own),
    ...body,
    ...blank,
    drawFooter(state, site.size),
  ]
    .slice(0, site.size.rows);
}

function drawBody(
  content: PageContent,
  { place, size }: PageContext,
  search: string,
): readonly ScreenLine[] {
  const { from, height, at } = findWindow(content, place, size);
  const rows = content.rows.slice(from, from + height).map(({ line }, i) => {
    if (from + i !== at) return markMatch(line, search);
    const text = lineText(line).padEnd(size.columns);
    return [{ text, style: "selected" }] satisfies ScreenLine;
  });
  return [...content.head, ...rows].slice(0, size.rows);
}

/** The current node, or the number of nodes by condition. */
function drawHeader(
  { page }: DashboardState,
  site: PageContext,
): ScreenLine {
  if (page.header !== undefined) return page.header(site);
  const { node, data, now } = site;
  const { value: known, problem, isAway } = data.of(node, health);
  const { value } = data.of(node, metrics);
  const name = known?.hostname || node;
  if (problem !== undefined) {
    const state = isAway ? "down" : "no access";
    return [
      { text: name, style: "title" },
      { text: ` ${state}: ${problem}`, style: "bad" },
    ];
  }
  const version = known?.version || "n/a";
  if (value === undefined) {
    return [{ text: name, style: "title" }, { text: ` (${version})` }];
  }
  const up = Math.max(0, Math.floor(now / 1000 - value.bootTime)) * 1000;
  const facts = [
    `uptime ${formatDuration(up)}`,
    value.processorText,
    `${
      value.memory === undefined
        ? "n/a"
        : ibytesText(value.memory.memtotal * 1024n)
    } RAM`,
    `PROCS ${value.processes.length}`,
    `CPU ${percent(value.shares.used)}`,
    `RAM ${percent(value.memoryShare)}`,
  ];
  return [
    { text: name, style: "title" },
    { text: ` (${version}): ${facts.join(", ")}` },
  ];
}

/** Nodes and pages; or the current search, or a message. */
function drawFooter(
  { nodes, node, page, typing, search, message }: DashboardState,
  { columns }: Size,
): ScreenLine {
  if (typing !== undefined) return `/${typing}_`;
  if (message !== "") return [{ text: message, style: "changing" }];
  const left: readonly Span[] = search === ""
    ? []
    : [{ text: `/${search}  `, style: "match" }, { text: " " }];
  const help: Span = { text: "  ? keys", style: "muted" };
  const whole = pageSpans(page.name, true);
  const used = measureWidth([...left, ...whole, help]);
  const isWide = columns - used >= 20;
  const shown = isWide ? whole : pageSpans(page.name, false);
  const room = columns - measureWidth([...left, ...shown, help]) - 3;
  const current = nodes[node] ?? "";
  const place: readonly Span[] = nodes.length === 1 || page.listsNodes
    ? [{ text: nodes.length === 1 ? current : `${nodes.length} nodes` }]
    : isWide
    ? drawTabs(nodes, current, room)
    : [{ text: `${node + 1}/${nodes.length}` }];
  return [...left, ...shown, help, { text: "   " }, ...place];
}

function pageSpans(current: string, all: boolean): readonly Span[] {
  return pages.flatMap(({ name, keys: [key = ""] }): readonly Span[] => {
    if (!all && name !== current) return [];
    const text = `${key.toUpperCase()} ${name}`;
    const space = all && name !== pages[0]?.name ? [{ text: "  " }] : [];
    return [
      ...space,
      name === current ? { text, style: "selected" } : { text },
    ];
  });
}

function measureWidth(spans: readonly Span[]): number {
  return lineText(spans).length;
}

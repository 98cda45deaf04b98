import { formatDuration } from "../../lib/duration.ts";
import { padColumns, textWidth } from "../../terminal/text_width.ts";
import type { Size } from "../../terminal/environment.ts";
import {
  lineText,
  type ScreenLine,
  type Span,
} from "../../terminal/screen_line.ts";
import { ibytesText } from "../../terminal/units.ts";
import { health, metrics } from "./feeds/all.ts";
import { pages } from "./pages/all.ts";
import { findWindow, formatLate, markMatch, percent } from "./pages/layout.ts";
import { pageActions } from "./actions.ts";
import { describePrompt } from "./prompt.ts";
import type { PageContent, PageContext } from "./pages/page.ts";
import {
  type DashboardContext,
  type DashboardState,
  drawContent,
  isRoomy,
} from "./state.ts";

/** Draws the dashboard. Returns one line for each row of the terminal. */
export function draw(
  state: DashboardState,
  context: DashboardContext,
): readonly ScreenLine[] {
  const { own, content } = drawContent(state, context);
  const body = drawBody(content, own, state.search);
  const blank = Array<string>(Math.max(0, own.size.rows - body.length)).fill(
    "",
  );
  const typed = drawPrompt(state, context);
  const names = drawPageNames(state.page.name, context.size);
  const foot = isRoomy(context.size)
    ? [typed ?? drawHints(state, content, own, context), names]
    : [typed ?? names];
  // A single row only has room for the most important line.
  const name = context.context === undefined
    ? []
    : [{ text: context.context, style: "selected" as const }, { text: " " }];
  const mode = context.readOnly === undefined
    ? []
    : [{ text: "read-only", style: "changing" as const }, { text: " " }];
  const header = [name, mode, drawHeader(state, own)].flat();
  return [header, ...body, ...blank, ...foot]
    .slice(0, context.size.rows);
}

function drawBody(
  content: PageContent,
  { place, size }: PageContext,
  search: string,
): readonly ScreenLine[] {
  const { from, height, at } = findWindow(content, place, size);
  const rows = content.rows.slice(from, from + height).map(({ line }, i) => {
    if (from + i !== at) return markMatch(line, search);
    const text = padColumns(lineText(line), size.columns);
    return [{ text, style: "selected" }] satisfies ScreenLine;
  });
  return [...content.head, ...rows].slice(0, size.rows);
}

/** The current node, or the number of nodes by condition. */
function drawHeader(
  { page, nodes, node: at }: DashboardState,
  context: PageContext,
): readonly Span[] {
  if (page.header !== undefined) return page.header(context);
  const which = nodes.length > 1 ? ` ${at + 1}/${nodes.length}` : "";
  const { node, data, now } = context;
  const { value: known, problem, isAway, lateMs } = data.of(node, health);
  const { value } = data.of(node, metrics);
  const name = known?.hostname || node;
  if (problem !== undefined) {
    const state = isAway ? "down" : "no access";
    return [
      { text: name, style: "title" },
      { text: which },
      { text: ` ${state}: ${problem}`, style: "bad" },
    ];
  }
  const version = known?.version || "n/a";
  if (lateMs !== undefined) {
    return [
      { text: name, style: "title" },
      { text: `${which} (${version}): ` },
      { text: formatLate(lateMs), style: "changing" },
    ];
  }
  if (value === undefined) {
    return [{ text: name, style: "title" }, { text: `${which} (${version})` }];
  }
  const up = Math.max(0, Math.floor(now / 1000 - value.bootTime)) * 1000;
  const facts = [
    `uptime ${formatDuration(up)}`,
    `CPU ${percent(value.shares.used)}`,
    `RAM ${percent(value.memoryShare)}`,
    value.processorText,
    `${
      value.memory === undefined
        ? "n/a"
        : ibytesText(value.memory.memtotal * 1024n)
    } RAM`,
    `PROCS ${value.processes.length}`,
  ];
  return [
    { text: name, style: "title" },
    { text: `${which} (${version}): ${facts.join(", ")}` },
  ];
}

/** The text being typed, the message, or the search; absent for none. */
function drawPrompt(
  state: DashboardState,
  context: DashboardContext,
): ScreenLine | undefined {
  const { prompt, messageStyle = "changing", messageUntil, search } = state;
  const message = context.now < (messageUntil ?? Infinity) ? state.message : "";
  if (prompt !== undefined) {
    const sign = prompt.kind === "command" ? ":" : "/";
    const [at = "_", ...behind] = prompt.after ?? "";
    return [
      { text: `${sign}${prompt.text}` },
      // In the middle of a text, the cursor is on a character.
      { text: at, style: prompt.after ? "selected" : undefined },
      { text: behind.join("") },
      { text: `  ${describePrompt(state, context)}`, style: "muted" },
    ];
  }
  if (message !== "") return [{ text: message, style: messageStyle }];
  if (search === "") return undefined;
  return [
    { text: `/${search}`, style: "match" },
    { text: "  n next, N previous, Esc ends", style: "muted" },
  ];
}

/** The note of the selected row, and the keys of the page, as many as fit. */
function drawHints(
  { page, showsHelp, wraps, hidesTimes }: DashboardState,
  content: PageContent,
  own: PageContext,
  { readOnly, size }: DashboardContext,
): ScreenLine {
  const { kind, rows } = content;
  const { from, height, at } = findWindow(content, own.place, own.size);
  const below = kind === "text" ? rows.length - from - height : 0;
  const actions = readOnly === undefined
    ? pageActions(page).map(({ key, text }) => [key, text] as const)
    : [["read-only", ""] as const];
  const hints = [
    ["?", "keys"] as const,
    ...kind === "list" && rows.length > height
      ? [["↕", `${at + 1} of ${rows.length}`] as const]
      : [],
    ...below > 0 ? [["↓", `${below} more`] as const] : [],
    [":", "command"] as const,
    ["/", kind === "list" ? "filter" : "search"] as const,
    ...kind === "log"
      ? [
        ["f", "follow"] as const,
        ["t", hidesTimes ? "times" : "no times"] as const,
      ]
      : [],
    ...kind === "list" ? [] : [["w", wraps ? "no wrap" : "wrap"] as const],
    ...showsHelp ? [] : actions,
    ...kind === "list" ? [["<>", "sort"] as const] : [],
  ];
  const { note = "" } = rows[at] ?? {};
  const noted: readonly Span[] = note === ""
    ? []
    : [{ text: note, style: "changing" }, { text: "  " }];
  let room = size.columns - textWidth(lineText(noted));
  const [help = [], ...keys] = hints.map(([key, text]): readonly Span[] => {
    room -= key.length + text.length + 3;
    return room < -2 ? [] : [
      { text: key, style: "title" },
      { text: text === "" ? "  " : ` ${text}  `, style: "muted" },
    ];
  });
  return [...help, ...noted, ...keys.flat()];
}

/** Page names: with keys if they fit, else without, else only that of the page. */
function drawPageNames(current: string, { columns }: Size): ScreenLine {
  const forms = [
    pages.map(({ name, keys: [key = ""] }) => `${key.toUpperCase()} ${name}`),
    pages.map(({ name }) => name),
  ];
  const names = forms.find((all) => all.join("  ").length <= columns) ??
    forms.find((all) => all.join(" ").length <= columns);
  if (names === undefined) {
    const at = pages.findIndex(({ name }) => name === current);
    return [{ text: forms[0]?.[at] ?? "", style: "selected" }];
  }
  const gap = names.join("  ").length <= columns ? "  " : " ";
  return pages.flatMap(({ name }, i): readonly Span[] => [
    ...i === 0 ? [] : [{ text: gap }],
    name === current
      ? { text: names[i] ?? "", style: "selected" }
      : { text: names[i] ?? "" },
  ]);
}

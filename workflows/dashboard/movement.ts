/** Movement on a page, between pages, and into rows and back. */

import { domain } from "../../talos.ts";
import { lineText } from "../../terminal/screen_line.ts";
import { logNames } from "./feeds/all.ts";
import {
  logsPage,
  nodesPage,
  pages,
  resourcesPage,
  summaryPage,
} from "./pages/all.ts";
import { findWindow } from "./pages/layout.ts";
import type { Page, PageContent } from "./pages/page.ts";
import {
  atNode,
  type DashboardContext,
  type DashboardState,
  drawContent,
  goTo,
  selectedId,
  withPlace,
} from "./state.ts";

/** Goes to a page next to this one. */
export function beside(
  state: DashboardState,
  context: DashboardContext,
  by: number,
): DashboardState {
  const at = pages.indexOf(state.page) + by + pages.length;
  return goTo(state, pages[at % pages.length] ?? state.page, context);
}

/** Goes to a log next to this one. */
export function otherLog(
  state: DashboardState,
  { data }: DashboardContext,
  by: number,
): DashboardState {
  const names = logNames(data, state.nodes[state.node] ?? "");
  const at = Math.max(0, names.indexOf(state.log)) + by;
  const log = names[Math.min(names.length - 1, Math.max(0, at))] ?? state.log;
  const shown = { ...state, page: logsPage, log };
  return log === state.log
    ? shown
    : withPlace(shown, { top: 0, at: -1, isFollowed: true });
}

/** Moves the position. `by`: number of rows, given the number on the screen. */
export function moveBy(
  state: DashboardState,
  context: DashboardContext,
  by: (height: number) => number,
): DashboardState {
  const { own, content } = drawContent(state, context);
  const { from, height, at } = findWindow(content, own.place, own.size);
  const rows = content.rows.length;
  if (content.kind === "list") {
    return selectRow(state, content, at + by(height));
  }
  const last = Math.max(0, rows - height);
  const next = Math.min(last, Math.max(0, from + by(height)));
  return withPlace(state, {
    top: next + (content.dropped ?? 0),
    at: -1,
    isFollowed: next === last && by(height) > 0,
  });
}

/** Starts or stops following a log. */
export function followEnd(
  state: DashboardState,
  context: DashboardContext,
): DashboardState {
  const { own, content } = drawContent(state, context);
  if (content.kind !== "log") return state;
  const { from } = findWindow(content, own.place, own.size);
  const top = from + (content.dropped ?? 0);
  const isFollowed = !own.place.isFollowed;
  return withPlace(state, { isFollowed, top, at: -1 });
}

/** Wraps long lines or cuts them, or hides or shows time stamps; the first line on the screen stays there. */
export function toggleText(
  state: DashboardState,
  context: DashboardContext,
  name: "wraps" | "hidesTimes",
): DashboardState {
  const { own, content } = drawContent(state, context);
  const { from } = findWindow(content, own.place, own.size);
  const line = startRows(content.rows.slice(0, from + 1)).length - 1;
  const toggled = { ...state, [name]: !state[name] };
  const { rows } = drawContent(toggled, context).content;
  const top = (startRows(rows)[line] ?? 0) + (content.dropped ?? 0);
  return content.kind === "list" ? state : withPlace(toggled, { top, at: -1 });
}

/** Indexes of the rows with which lines begin. */
function startRows(rows: PageContent["rows"]): readonly number[] {
  return rows.flatMap(({ continues }, at) => continues ? [] : at);
}

function selectRow(
  state: DashboardState,
  { rows }: PageContent,
  wanted: number,
): DashboardState {
  const at = Math.min(rows.length - 1, Math.max(0, wanted));
  return withPlace(state, { id: rows[at]?.id ?? "", at: Math.max(0, at) });
}

/** Opens the selected row: a node, or an item of the page. */
export function openRow(
  state: DashboardState,
  context: DashboardContext,
): DashboardState {
  const { own, content } = drawContent(state, context);
  const { at } = findWindow(content, own.place, own.size);
  const id = content.rows[at]?.id;
  if (id === undefined) return state;
  // It stays selected for the way back, whatever moves.
  const selected = selectRow(state, content, at);
  if (state.page.listsNodes) return goTo(selected, summaryPage, context);
  if (!state.page.opens?.(own)) return state;
  const paths = { ...state.paths, [state.page.name]: [...own.path, id] };
  return { ...selected, paths };
}

/** Goes to a page, or to what is opened on it; Esc goes back. */
export function jumpTo(
  state: DashboardState,
  page: Page,
  context: DashboardContext,
  path = state.paths[page.name] ?? [],
): DashboardState {
  const { own, content } = drawContent(
    { ...state, showsHelp: false },
    context,
  );
  const { at } = findWindow(content, own.place, own.size);
  // It stays selected for the way back, whatever moves.
  const selected = content.kind === "list"
    ? selectRow(state, content, at)
    : state;
  const there = goTo(selected, page, context);
  return {
    ...there,
    paths: { ...there.paths, [page.name]: path },
    origin: {
      page: state.page,
      node: state.node,
      path: own.path,
      depth: path.length,
      before: state.paths[page.name] ?? [],
      origin: state.origin,
    },
  };
}

/** Goes to the log of the selected or opened service, else to that of the node. */
export function openLogs(
  state: DashboardState,
  context: DashboardContext,
): DashboardState {
  const { page, paths } = state;
  if (page === logsPage) return state;
  const id = paths[page.name]?.[0] ?? selectedId(state, context);
  const log = page.subject === "service" && id ? id : state.log;
  // A row of these has a log of its own.
  return page.opens !== undefined && page.subject !== "service" &&
      page !== resourcesPage
    ? openRow(state, context)
    : jumpTo({ ...state, log }, logsPage, context);
}

/** Goes to the resource of the selected or opened item. */
export function openYaml(
  state: DashboardState,
  context: DashboardContext,
): DashboardState {
  const { page, paths } = state;
  if (page === resourcesPage) return openRow(state, context);
  const id = paths[page.name]?.[0] ?? selectedId(state, context) ?? "";
  const path = page.resource === undefined ? nodeState : page.resource(id);
  return path === undefined
    ? { ...state, message: "There is no YAML of this" }
    : jumpTo(state, resourcesPage, context, path);
}

/** The state of a node as a path of Resources. */
const nodeState = [`runtime MachineStatuses.runtime.${domain} `, "machine"];

/** Ends a filter or a search, else goes back: out of an item, or to the list of nodes. */
export function leavePage(
  state: DashboardState,
  context: DashboardContext,
): DashboardState {
  const { own } = drawContent(state, context);
  if (own.place.filter !== "") return withPlace(state, { filter: "" });
  if (state.search !== "") return { ...state, search: "" };
  const { origin } = state;
  if (state.page.listsNodes && state.marked.length > 0) {
    return { ...state, marked: [] };
  }
  if (origin !== undefined && own.path.length <= origin.depth) {
    const paths = {
      ...state.paths,
      [state.page.name]: origin.before,
      [origin.page.name]: origin.path,
    };
    return {
      ...atNode(state, origin.node),
      page: origin.page,
      paths,
      origin: origin.origin,
    };
  }
  if (own.path.length > 0) {
    const paths = { ...state.paths, [state.page.name]: own.path.slice(0, -1) };
    return { ...state, paths };
  }
  return state.nodes.length > 1 ? { ...state, page: nodesPage } : state;
}

/** Marks the selected node, or removes its mark, and selects the next one. */
export function markNode(
  state: DashboardState,
  context: DashboardContext,
): DashboardState {
  const id = selectedId(state, context);
  if (!state.page.listsNodes || id === undefined) {
    return { ...state, message: "Only nodes can be marked" };
  }
  const others = state.marked.filter((node) => node !== id);
  const marked = others.length < state.marked.length ? others : [...others, id];
  return moveBy({ ...state, marked }, context, () => 1);
}

/** Goes to another node. */
export function otherNode(state: DashboardState, by: number): DashboardState {
  return atNode(state, state.node + by);
}

/** Moves to the next match, wrapping around at the end. */
export function findNext(
  state: DashboardState,
  context: DashboardContext,
  by: 1 | -1,
): DashboardState {
  const { search } = state;
  const { own, content } = drawContent(state, context);
  const { rows, dropped = 0, kind } = content;
  if (kind === "list") return state;
  if (search === "") return { ...state, message: "Search with /" };
  const { from, height } = findWindow(content, own.place, own.size);
  const last = own.place.at;
  const isKnown = !own.place.isFollowed && last >= dropped;
  // Before the first match, start at the first row on the screen.
  const before = isKnown ? last - dropped : from - 1;
  for (let step = 1; step <= rows.length; step++) {
    const next = (before + by * step + 2 * rows.length) % rows.length;
    if (!wholeLine(rows, next).toLowerCase().includes(search)) continue;
    // In the middle, so that its context is visible.
    const top = Math.max(0, next - (height >> 1)) + dropped;
    return withPlace(state, { top, at: next + dropped, isFollowed: false });
  }
  return { ...state, message: `No match for "${search}"` };
}

/** The line that begins with a row, also on the rows that continue it; empty for those. */
function wholeLine(rows: PageContent["rows"], at: number): string {
  if (rows[at]?.continues) return "";
  let end = at + 1;
  while (rows[end]?.continues) end++;
  return rows.slice(at, end).map(({ line }) => lineText(line)).join("");
}

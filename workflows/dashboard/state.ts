/** State of the dashboard, and its changes by keys. */

import { lineText } from "../../terminal/screen_line.ts";
import type { Size } from "../../terminal/environment.ts";
import type { DashboardData, Need } from "./feed.ts";
import {
  health,
  kernelLog,
  logNames,
  metrics,
  type RunFeeds,
} from "./feeds/all.ts";
import { type DashboardAction, keyMap } from "./key_map.ts";
import {
  clusterPage,
  logsPage,
  networkPage,
  pages,
  summaryPage,
} from "./pages/all.ts";
import { helpContent } from "./pages/help.ts";
import { findWindow } from "./pages/layout.ts";
import type {
  Page,
  PageContent,
  PageContext,
  PagePlace,
} from "./pages/page.ts";

/** State of the dashboard. */
export interface DashboardState {
  readonly nodes: readonly string[];
  /** Index of the current node. */
  readonly node: number;
  readonly page: Page;
  /** Position on each page, by its name. */
  readonly places: Readonly<Record<string, PagePlace>>;
  readonly log: string;
  /** Current search, in lower case; empty for none. */
  readonly search: string;
  /** Search text being typed; absent if none. */
  readonly typing?: string | undefined;
  /** Whether the help is open. */
  readonly showsHelp: boolean;
  /** Reason why a key did nothing; empty for none. */
  readonly message: string;
}

/** Data for keys and drawings, besides the state. */
export interface DashboardContext {
  readonly data: DashboardData;
  /** Feeds of the runs of this machine. */
  readonly runs: RunFeeds;
  readonly size: Size;
  /** The present, in milliseconds since 1970. */
  readonly now: number;
}

const start: PagePlace = {
  path: [],
  id: "",
  at: -1,
  top: 0,
  isFollowed: true,
};

/**
 * Initial state of the dashboard: the first node, or the cluster page if there are several.
 *
 * @param isBare True for nodes in maintenance mode, which only report the network; default false.
 */
export function firstState(
  nodes: readonly string[],
  isBare = false,
): DashboardState {
  return {
    nodes,
    node: 0,
    page: nodes.length > 1 ? clusterPage : isBare ? networkPage : summaryPage,
    places: {},
    log: kernelLog,
    search: "",
    showsHelp: false,
    message: "",
  };
}

function pageRoom({ columns, rows }: Size): Size {
  return { columns, rows: Math.max(0, rows - 2) };
}

function toSite(
  state: DashboardState,
  { size, ...site }: DashboardContext,
): PageContext {
  const { nodes, node, log } = state;
  return {
    ...site,
    nodes,
    node: nodes[node] ?? "",
    place: findPlace(state),
    log,
    size: pageRoom(size),
  };
}

/** Feeds required by the screen. */
export function listNeeds(
  state: DashboardState,
  site: DashboardContext,
): readonly Need[] {
  const { page } = state;
  const own = toSite(state, site);
  // The header of the cluster covers all nodes.
  const header = page.listsNodes
    ? []
    : [health, metrics].map((feed) => ({ node: own.node, feed }));
  return [...header, ...page.needs(own)];
}

/** State after a key; `undefined` closes the dashboard. `key`: its name. */
export function press(
  state: DashboardState,
  key: string,
  site: DashboardContext,
): DashboardState | undefined {
  const calm = { ...state, message: "" };
  if (state.typing !== undefined) return typeKey(calm, state.typing, key, site);
  const page = pages.find(({ keys }) => keys.includes(key));
  if (page !== undefined) return { ...calm, page, showsHelp: false };
  const action = keyMap.find(({ keys }) => keys.includes(key))?.action;
  if (action === "quit") return undefined;
  if (action === undefined) return state;
  if (action === "help") return { ...calm, showsHelp: !state.showsHelp };
  if (state.showsHelp && !scrolls.has(action)) {
    return { ...calm, showsHelp: false };
  }
  return acts[action](calm, site);
}

type Act = (state: DashboardState, site: DashboardContext) => DashboardState;

const acts: Readonly<
  Record<Exclude<DashboardAction, "help" | "quit">, Act>
> = {
  "previous-node": (state) => atNode(state, state.node - 1),
  "next-node": (state) => atNode(state, state.node + 1),
  up: (state, site) => moveBy(state, site, () => -1),
  down: (state, site) => moveBy(state, site, () => 1),
  "half-up": (state, site) => moveBy(state, site, (height) => -half(height)),
  "half-down": (state, site) => moveBy(state, site, half),
  "page-up": (state, site) => moveBy(state, site, (height) => -height),
  "page-down": (state, site) => moveBy(state, site, (height) => height),
  "wheel-up": (state, site) => moveBy(state, site, () => -3),
  "wheel-down": (state, site) => moveBy(state, site, () => 3),
  top: (state, site) => moveBy(state, site, () => -Infinity),
  bottom: (state, site) => moveBy(state, site, () => Infinity),
  enter: openRow,
  leave: leavePage,
  search: (state) => ({ ...state, typing: "" }),
  "next-match": (state, site) => findNext(state, site, 1),
  "previous-match": (state, site) => findNext(state, site, -1),
  "next-page": (state) => beside(state, 1),
  "previous-page": (state) => beside(state, -1),
  "previous-log": (state, site) => otherLog(state, site, -1),
  "next-log": (state, site) => otherLog(state, site, 1),
  follow: followEnd,
};

const scrolls: ReadonlySet<DashboardAction> = new Set<DashboardAction>([
  "up",
  "down",
  "half-up",
  "half-down",
  "page-up",
  "page-down",
  "wheel-up",
  "wheel-down",
  "top",
  "bottom",
]);

function half(height: number): number {
  return Math.max(1, height >> 1);
}

function placeName({ showsHelp, page }: DashboardState): string {
  return showsHelp ? "?" : page.name;
}

function findPlace(state: DashboardState): PagePlace {
  return state.places[placeName(state)] ?? start;
}

function withPlace(
  state: DashboardState,
  change: Partial<PagePlace>,
): DashboardState {
  const place = { ...findPlace(state), ...change };
  return { ...state, places: { ...state.places, [placeName(state)]: place } };
}

function atNode(state: DashboardState, wanted: number): DashboardState {
  const node = Math.min(state.nodes.length - 1, Math.max(0, wanted));
  // Another node has other lines in its log.
  const places = { ...state.places, [logsPage.name]: start };
  return { ...state, node, places };
}

function beside(state: DashboardState, by: number): DashboardState {
  const at = pages.indexOf(state.page) + by + pages.length;
  return { ...state, page: pages[at % pages.length] ?? state.page };
}

function otherLog(
  state: DashboardState,
  { data }: DashboardContext,
  by: number,
): DashboardState {
  const names = logNames(data, state.nodes[state.node] ?? "");
  const at = Math.max(0, names.indexOf(state.log)) + by;
  const log = names[Math.min(names.length - 1, Math.max(0, at))] ?? state.log;
  const shown = { ...state, page: logsPage, log };
  return log === state.log ? shown : withPlace(shown, start);
}

/** Content between header and footer. */
export function drawContent(
  state: DashboardState,
  site: DashboardContext,
): { readonly own: PageContext; readonly content: PageContent } {
  const own = toSite(state, site);
  const content = state.showsHelp ? helpContent : state.page.draw(own);
  return { own, content };
}

/** Moves the position. `by`: number of rows, given the number on the screen. */
function moveBy(
  state: DashboardState,
  site: DashboardContext,
  by: (height: number) => number,
): DashboardState {
  const { own, content } = drawContent(state, site);
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

function followEnd(
  state: DashboardState,
  site: DashboardContext,
): DashboardState {
  const { own, content } = drawContent(state, site);
  if (content.kind !== "log") return state;
  const { from } = findWindow(content, own.place, own.size);
  const top = from + (content.dropped ?? 0);
  const isFollowed = !own.place.isFollowed;
  return withPlace(state, { isFollowed, top, at: -1 });
}

function selectRow(
  state: DashboardState,
  { rows }: PageContent,
  wanted: number,
): DashboardState {
  const at = Math.min(rows.length - 1, Math.max(0, wanted));
  return withPlace(state, { id: rows[at]?.id ?? "", at: Math.max(0, at) });
}

function openRow(
  state: DashboardState,
  site: DashboardContext,
): DashboardState {
  const { own, content } = drawContent(state, site);
  const { at } = findWindow(content, own.place, own.size);
  const id = content.rows[at]?.id;
  if (id === undefined) return state;
  if (state.page.listsNodes) {
    const shown = { ...state, page: summaryPage };
    return atNode(withPlace(shown, start), state.nodes.indexOf(id));
  }
  if (!state.page.opens?.(own)) return state;
  return withPlace(state, { ...start, path: [...own.place.path, id] });
}

function leavePage(state: DashboardState): DashboardState {
  if (state.search !== "") return { ...state, search: "" };
  const { path } = findPlace(state);
  const id = path.at(-1);
  if (id === undefined) {
    return state.nodes.length > 1 ? { ...state, page: clusterPage } : state;
  }
  return withPlace(state, { ...start, path: path.slice(0, -1), id });
}

function typeKey(
  state: DashboardState,
  text: string,
  key: string,
  site: DashboardContext,
): DashboardState {
  switch (key) {
    case "esc":
      return { ...state, typing: undefined, search: "" };
    case "backspace":
      return { ...state, typing: [...text].slice(0, -1).join("") };
    case "enter": {
      const search = text.toLowerCase();
      const ended = { ...state, typing: undefined, search };
      return search === "" ? ended : findNext(ended, site, 1);
    }
    default:
      // Keys with names are not text.
      return [...key].length === 1 ? { ...state, typing: text + key } : state;
  }
}

/** Moves to the next match, wrapping around at the end. */
function findNext(
  state: DashboardState,
  site: DashboardContext,
  by: 1 | -1,
): DashboardState {
  const { search } = state;
  if (search === "") return { ...state, message: "Search with /" };
  const { own, content } = drawContent(state, site);
  const { rows, dropped = 0, kind } = content;
  const { from, height, at } = findWindow(content, own.place, own.size);
  const last = own.place.at;
  const isKnown = kind !== "list" && !own.place.isFollowed && last >= dropped;
  // Before the first match, start at the first row on the screen.
  const before = kind === "list" ? at : isKnown ? last - dropped : from - 1;
  for (let step = 1; step <= rows.length; step++) {
    const next = (before + by * step + 2 * rows.length) % rows.length;
    const text = lineText(rows[next]?.line ?? "").toLowerCase();
    if (!text.includes(search)) continue;
    if (kind === "list") return selectRow(state, content, next);
    // In the middle, so that its context is visible.
    const top = Math.max(0, next - (height >> 1)) + dropped;
    return withPlace(state, { top, at: next + dropped, isFollowed: false });
  }
  return { ...state, message: `No match for "${search}"` };
}

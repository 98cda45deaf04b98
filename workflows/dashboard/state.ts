/** State of the dashboard, and where the user is in it. */

import type { Size } from "../../terminal/environment.ts";
import type { DashboardCommand } from "./actions.ts";
import type { DashboardData, Need } from "./feed.ts";
import {
  health,
  kernelLog,
  metrics,
  type RunFeeds,
  types,
} from "./feeds/all.ts";
import { logsPage, networkPage, nodesPage, summaryPage } from "./pages/all.ts";
import { helpContent } from "./pages/help.ts";
import { findWindow } from "./pages/layout.ts";
import { hideTimes, wrapRows } from "./pages/text_rows.ts";
import type {
  Page,
  PageContent,
  PageContext,
  PagePlace,
} from "./pages/page.ts";

/** Text that is being typed. */
interface Prompt {
  readonly kind: "command" | "filter" | "search";
  /** Text before the cursor. */
  readonly text: string;
  /** Text behind the cursor; default none. */
  readonly after?: string;
  /** How many commands back it was recalled from; default 0. */
  readonly back?: number;
}

/** Where a jump to another page began. */
interface Origin {
  readonly page: Page;
  readonly node: number;
  readonly path: readonly string[];
  /** Number of opened items after the jump. */
  readonly depth: number;
  /** What was opened on the other page before. */
  readonly before: readonly string[];
  /** Where the jump before it began. */
  readonly origin?: Origin | undefined;
}

/** State of the dashboard. */
export interface DashboardState {
  readonly nodes: readonly string[];
  /** Index of the current node. */
  readonly node: number;
  readonly page: Page;
  /** Opened items of each page, outermost first, by its name. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
  /** Position on each page and in each opened item. */
  readonly places: Readonly<Record<string, PagePlace>>;
  /** Nodes that commands act on in the list of nodes; the selected one if there are none. */
  readonly marked: readonly string[];
  readonly log: string;
  /** Where Esc goes back to; absent for the list of nodes. */
  readonly origin?: Origin | undefined;
  /** Commands that were typed, the latest last. */
  readonly history: readonly string[];
  /** How often the user wanted all data again. */
  readonly refreshes: number;
  /** Current search, in lower case; empty for none. */
  readonly search: string;
  /** Absent if nothing is being typed. */
  readonly prompt?: Prompt | undefined;
  /** Whether lines wider than the screen are continued on the next row, instead of cut. */
  readonly wraps: boolean;
  /** Whether time stamps of logs are hidden. */
  readonly hidesTimes: boolean;
  /** Whether the help is open. */
  readonly showsHelp: boolean;
  /** Reason why a key did nothing, or the result of a command; empty for none. */
  readonly message: string;
  /** Style of the message of a command that has ended; absent for other messages. */
  readonly messageStyle?: "good" | "bad" | undefined;
  /** When the message makes room for the keys, in milliseconds since 1970; default with the next key. */
  readonly messageUntil?: number | undefined;
  /** True when the last command has nothing to read besides the message. */
  readonly isDone?: boolean;
  /** Command line to run now, without `osctl`; absent for none. */
  readonly command?: readonly string[] | undefined;
}

/** Data for keys and drawings, besides the state. */
export interface DashboardContext {
  readonly data: DashboardData;
  /** Feeds of the runs of this machine. */
  readonly runs: RunFeeds;
  /** Commands that can be typed. */
  readonly commands: readonly DashboardCommand[];
  /** Name of the context; absent without one. */
  readonly context?: string | undefined;
  /** Reason why no command can be run; absent if they can. */
  readonly readOnly?: string | undefined;
  readonly size: Size;
  /** The present, in milliseconds since 1970. */
  readonly now: number;
}

const start: PagePlace = {
  id: "",
  at: -1,
  top: 0,
  isFollowed: true,
  filter: "",
  sort: "",
};

/**
 * Initial state of the dashboard: the first node, or the list of nodes if there are several.
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
    page: nodes.length > 1 ? nodesPage : isBare ? networkPage : summaryPage,
    paths: {},
    places: {},
    marked: [],
    log: kernelLog,
    history: [],
    refreshes: 0,
    search: "",
    wraps: false,
    hidesTimes: false,
    showsHelp: false,
    message: "",
  };
}

/** Rows of the terminal from which the line above the page names has keys. */
const roomyRows = 8;

/** True if there is a line for keys, messages and typed text above the page names. */
export function isRoomy({ rows }: Size): boolean {
  return rows >= roomyRows;
}

function pageRoom(size: Size): Size {
  const { columns, rows } = size;
  return { columns, rows: Math.max(0, rows - (isRoomy(size) ? 3 : 2)) };
}

function toSite(
  state: DashboardState,
  { data, runs, now, size }: DashboardContext,
): PageContext {
  const { nodes, node, marked, log, page } = state;
  return {
    data,
    runs,
    now,
    nodes,
    node: nodes[node] ?? "",
    path: state.paths[page.name] ?? [],
    place: findPlace(state),
    marked,
    log,
    size: pageRoom(size),
  };
}

/** Feeds required by the screen. */
export function listNeeds(
  state: DashboardState,
  context: DashboardContext,
): readonly Need[] {
  const { page } = state;
  const own = toSite(state, context);
  // The header of the list of nodes covers all nodes.
  const header = page.listsNodes
    ? []
    : [health, metrics].map((feed) => ({ node: own.node, feed }));
  // Completion of what is typed.
  const typed = state.prompt?.kind === "command"
    ? [{ node: own.node, feed: types }]
    : [];
  return [...header, ...typed, ...page.needs(own)];
}

function placeName({ showsHelp, page, paths }: DashboardState): string {
  return showsHelp ? "?" : [page.name, ...paths[page.name] ?? []].join(inside);
}

/** Between the name of a page and its opened items. */
const inside = "\n";

function findPlace(state: DashboardState): PagePlace {
  return state.places[placeName(state)] ?? start;
}

/** Changes the position on the page, or in the opened item. */
export function withPlace(
  state: DashboardState,
  change: Partial<PagePlace>,
): DashboardState {
  const place = { ...findPlace(state), ...change };
  return { ...state, places: { ...state.places, [placeName(state)]: place } };
}

/** Content between header and footer. */
export function drawContent(
  state: DashboardState,
  context: DashboardContext,
): { readonly own: PageContext; readonly content: PageContent } {
  const own = toSite(state, context);
  const drawn = state.showsHelp
    ? helpContent(state.page, state.page.draw(own).kind, context.readOnly)
    : state.page.draw(own);
  const timed = state.hidesTimes ? hideTimes(drawn) : drawn;
  const content = state.wraps ? wrapRows(timed, own.size.columns) : timed;
  return { own, content };
}

/** Id of the selected row; absent on pages that are no list. */
export function selectedId(
  state: DashboardState,
  context: DashboardContext,
): string | undefined {
  const { own, content } = drawContent({ ...state, showsHelp: false }, context);
  const { at } = findWindow(content, own.place, own.size);
  return content.rows[at]?.id;
}

/** The selected node in the list of nodes; on other pages, the current one. */
function targetNode(state: DashboardState, context: DashboardContext): string {
  const selected = state.page.listsNodes && selectedId(state, context);
  return selected || (state.nodes[state.node] ?? "");
}

/**
 * The nodes that commands act on, separated by commas: the marked ones in the list of nodes, else a single one;
 * empty if that of the row is unknown.
 */
export function targetNodes(
  state: DashboardState,
  context: DashboardContext,
): string {
  const { page, marked, paths } = state;
  if (page.rowNode !== undefined) {
    const row = paths[page.name]?.[0] ?? selectedId(state, context);
    if (row !== undefined) return page.rowNode(toSite(state, context), row);
  }
  return page.listsNodes && marked.length > 0
    ? marked.join()
    : targetNode(state, context);
}

/** Changes the current node. */
export function atNode(state: DashboardState, wanted: number): DashboardState {
  const node = Math.min(state.nodes.length - 1, Math.max(0, wanted));
  if (node === state.node) return state;
  // Another node has other lines in its logs.
  const places = Object.fromEntries(
    Object.entries(state.places).filter(([name]) =>
      name !== logsPage.name && !name.includes(inside)
    ),
  );
  return { ...state, node, places };
}

/** Goes to a page; from the list of nodes, to that of the selected node. */
export function goTo(
  state: DashboardState,
  page: Page,
  context: DashboardContext,
): DashboardState {
  const node = state.nodes.indexOf(targetNode(state, context));
  return {
    ...atNode(state, node),
    page,
    origin: undefined,
    showsHelp: false,
  };
}

/** A page of the dashboard: a function from state and data to lines. */

import type { Size } from "../../../terminal/environment.ts";
import type { ScreenLine, Span } from "../../../terminal/screen_line.ts";
import type { DashboardData, Need } from "../feed.ts";
import type { RunFeeds } from "../feeds/all.ts";

/** A line of a page; selectable in lists. */
export interface PageRow {
  /** Identifies the row in a list; opened with Enter. Empty for text. */
  readonly id: string;
  readonly line: ScreenLine;
  /** Its note in full, for the status line; default none. */
  readonly note?: string;
  /** True for the rest of the line of the row before, which was too wide. */
  readonly continues?: true;
}

/** Content of a page. */
export interface PageContent {
  /** Fixed lines above the scrolled rows. */
  readonly head: readonly ScreenLine[];
  readonly rows: readonly PageRow[];
  /** A list has a selected row; the end of a log can be followed. */
  readonly kind: "list" | "text" | "log";
  /** Number of rows dropped before the first; default none. */
  readonly dropped?: number;
  /** Columns of a table as sort orders, in order: `NODE`, `-CPU` for the largest first; absent if it has none. */
  readonly orders?: readonly string[];
}

/** Position of the user on a page. */
export interface PagePlace {
  /** Selected row of a list, by its id; empty for the first. */
  readonly id: string;
  /** Its index when it was selected. */
  readonly at: number;
  /** First row of a text or log, counted from the first row ever. */
  readonly top: number;
  /** Whether the end of a log is followed. */
  readonly isFollowed: boolean;
  /** Text that rows of a list must contain, in lower case; with a leading `!`, must not. Empty for all. */
  readonly filter: string;
  /** Column that sorts a list, with a leading `-` for the largest first; empty for the order of the page. */
  readonly sort: string;
}

/** Data and state for drawing a page. */
export interface PageContext {
  readonly nodes: readonly string[];
  readonly node: string;
  /** Opened items of the page, outermost first. */
  readonly path: readonly string[];
  /** Position of the user on the page. */
  readonly place: PagePlace;
  /** Marked nodes. */
  readonly marked: readonly string[];
  /** Name of the current log. */
  readonly log: string;
  readonly data: DashboardData;
  /** Feeds of the runs of this machine. */
  readonly runs: RunFeeds;
  /** Room for the page: the terminal without header and footer. */
  readonly size: Size;
  /** The present, in milliseconds since 1970. */
  readonly now: number;
}

/** A page. */
export interface Page {
  readonly name: string;
  /** Description, lower case first. */
  readonly text: string;
  readonly keys: readonly string[];
  /** Type of the selected or opened row, which actions apply to; default the node. */
  readonly subject?: "service" | "run";
  /** Feeds required while it is on the screen. */
  readonly needs: (context: PageContext) => readonly Need[];
  /** The line above it; default the condition of the node. */
  readonly header?: (context: PageContext) => readonly Span[];
  readonly draw: (context: PageContext) => PageContent;
  /** True when Enter opens a row on the same page. */
  readonly opens?: (context: PageContext) => boolean;
  /** Node of a row, which commands act on; empty if it is unknown. Default: the current node. */
  readonly rowNode?: (context: PageContext, id: string) => string;
  /** Type and id of the resource that shows a row as YAML, as paths of Resources; default the state of the node. */
  readonly resource?: (id: string) => readonly [string, string] | undefined;
  /** True when its rows are nodes, and Enter opens the node. */
  readonly listsNodes?: true;
}

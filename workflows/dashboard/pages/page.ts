/** What a page of the dashboard is: a function of a state and of what is known, to lines. */

import type { Size } from "../../../terminal/environment.ts";
import type { ScreenLine } from "../../../terminal/screen_line.ts";
import type { DashboardData, Need } from "../feed.ts";
import type { RunFeeds } from "../feeds/all.ts";

/** A line that can be selected, or only scrolled. */
export interface PageRow {
  /** Tells the rows of a list apart; what Enter opens. Empty for text. */
  readonly id: string;
  readonly line: ScreenLine;
}

/** What is on a page. */
export interface PageContent {
  /** Lines that stay when the rest scrolls. */
  readonly head: readonly ScreenLine[];
  readonly rows: readonly PageRow[];
  /** A list has a selected row, a log an end that is followed. */
  readonly kind: "list" | "text" | "log";
  /** Rows that came before the first one and are gone; default none. */
  readonly dropped?: number;
}

/** Where a person is on a page. */
export interface PagePlace {
  /** What was opened, from the outside to the inside. */
  readonly path: readonly string[];
  /** Selected row of a list, by its id; empty for the first. */
  readonly id: string;
  /** Where it was when it was selected. */
  readonly at: number;
  /** First row of a text or log, counted from the first that ever was. */
  readonly top: number;
  /** Whether the end of a log is followed. */
  readonly isFollowed: boolean;
}

/** What a page is drawn from. */
export interface PageContext {
  readonly nodes: readonly string[];
  readonly node: string;
  /** Where the person is on the page. */
  readonly place: PagePlace;
  /** Name of the log that is looked at. */
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
  /** What it is for, lower case first. */
  readonly text: string;
  readonly keys: readonly string[];
  /** What has to be asked for while it is on the screen. */
  readonly needs: (site: PageContext) => readonly Need[];
  /** The line above it; default what the node is. */
  readonly header?: (site: PageContext) => ScreenLine;
  readonly draw: (site: PageContext) => PageContent;
  /** True when Enter on a row opens it on the same page. */
  readonly opens?: (site: PageContext) => boolean;
  /** True when its rows are nodes, and Enter shows the node. */
  readonly listsNodes?: true;
}

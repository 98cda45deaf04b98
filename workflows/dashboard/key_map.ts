/** Key bindings of the dashboard, declared only here. */

import type { PageContent } from "./pages/page.ts";

/** Effect of a key. */
export type KeyMeaning =
  | "logs"
  | "yaml"
  | "refresh"
  | "previous-node"
  | "next-node"
  | "up"
  | "down"
  | "half-up"
  | "half-down"
  | "page-up"
  | "page-down"
  | "wheel-up"
  | "wheel-down"
  | "top"
  | "bottom"
  | "enter"
  | "leave"
  | "mark"
  | "slash"
  | "command"
  | "next-match"
  | "previous-match"
  | "next-order"
  | "previous-order"
  | "reverse-order"
  | "next-page"
  | "previous-page"
  | "previous-log"
  | "next-log"
  | "follow"
  | "wrap"
  | "times"
  | "help"
  | "quit";

interface KeyBinding {
  /** Keys, named as by `keyName`. */
  readonly keys: readonly string[];
  /** Keys as displayed. */
  readonly shown: string;
  /** Description, lower case first. */
  readonly text: string;
  readonly meaning: KeyMeaning;
  /** Kinds of pages on which it does something; all if absent. */
  readonly on?: readonly PageContent["kind"][] | undefined;
}

const list = ["list"] as const;
const texts = ["text", "log"] as const;

/** All key bindings except those of pages and actions, grouped by purpose. */
export const keyMap: readonly KeyBinding[] = ([
  ["quit", "q, Ctrl-c", "quit", "q"],
  ["help", "?", "list the keys of this page", "?"],
  ["enter", "Enter, d", "open the selected line", "enter d", list],
  ["logs", "l", "the log of the service, else of the node", "l"],
  ["yaml", "y", "the node, service or member as YAML", "y"],
  ["leave", "Esc", "go back; end the filter or the search", "esc backspace"],
  ["command", ":", "go to a page or resource type, or run a command", ":"],
  ["slash", "/", "filter the lines of a list, search in a text", "/"],
  ["mark", "Space", "mark a node: commands act on all marked", "space", list],
  ["next-match", "n", "next match", "n", texts],
  ["previous-match", "N", "previous match", "N", texts],
  ["next-order", ">", "sort by the next column", ">", list],
  ["previous-order", "<", "sort by the previous column", "<", list],
  ["reverse-order", "-", "reverse the order", "-", list],
  ["previous-log", "[", "previous log", "[", ["log"]],
  ["next-log", "]", "next log", "]", ["log"]],
  ["follow", "f", "follow the log, or stop following", "f", ["log"]],
  ["wrap", "w", "wrap long lines, or cut them", "w", texts],
  ["times", "t", "hide the time stamps of logs, or show them", "t", ["log"]],
  ["next-page", "Tab", "next page", "tab"],
  ["previous-page", "Shift-Tab", "previous page", "shift-tab"],
  ["previous-node", "Left", "previous node", "left"],
  ["next-node", "Right", "next node", "right"],
  ["up", "k, Up", "up", "k up"],
  ["down", "j, Down", "down", "j down"],
  ["half-up", "Ctrl-u", "half a page up", "ctrl-u"],
  ["half-down", "Ctrl-d", "half a page down", "ctrl-d"],
  ["page-up", "Ctrl-b, PgUp", "page up", "ctrl-b page-up"],
  ["page-down", "Ctrl-f, PgDn", "page down", "ctrl-f page-down"],
  ["top", "g, Home", "to the top", "g home"],
  ["bottom", "G, End", "to the bottom", "G end"],
  ["refresh", "Ctrl-r", "request everything again", "ctrl-r"],
  ["wheel-up", "Wheel up", "three lines up", "wheel-up"],
  ["wheel-down", "Wheel down", "three lines down", "wheel-down"],
] as const).map(([meaning, shown, text, keys, on]) => ({
  keys: keys.split(" "),
  shown,
  text,
  meaning,
  on,
}));

/** Capital letters that are no other key of a list sort it. */
export const sortLetters = {
  shown: "Shift-letter",
  text: "sort by the column with this first letter; again: reverse",
};

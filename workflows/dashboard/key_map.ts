/** Key bindings of the dashboard, declared only here. */

/** Action of a key. */
export type DashboardAction =
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
  | "search"
  | "next-match"
  | "previous-match"
  | "next-page"
  | "previous-page"
  | "previous-log"
  | "next-log"
  | "follow"
  | "help"
  | "quit";

interface KeyBinding {
  /** Keys, named as by `keyName`. */
  readonly keys: readonly string[];
  /** Keys as displayed. */
  readonly shown: string;
  /** Description, lower case first. */
  readonly text: string;
  readonly action: DashboardAction;
}

/** All key bindings except those of pages, grouped by purpose. */
export const keyMap: readonly KeyBinding[] = ([
  ["previous-node", "h, Left", "previous node", "h left"],
  ["next-node", "l, Right", "next node", "l right"],
  ["up", "k, Up", "scroll up", "k up"],
  ["down", "j, Down", "scroll down", "j down"],
  ["half-up", "Ctrl-u", "half a page up", "ctrl-u"],
  ["half-down", "Ctrl-d", "half a page down", "ctrl-d"],
  ["page-up", "Ctrl-b, PgUp", "page up", "ctrl-b page-up"],
  ["page-down", "Ctrl-f, PgDn", "page down", "ctrl-f page-down"],
  ["top", "g, Home", "to the top", "g home"],
  ["bottom", "G, End", "to the bottom", "G end"],
  ["wheel-up", "Wheel up", "three lines up", "wheel-up"],
  ["wheel-down", "Wheel down", "three lines down", "wheel-down"],
  ["enter", "Enter", "open the selected line", "enter"],
  ["leave", "Esc", "go back; end the search", "esc backspace"],
  ["search", "/", "search", "/"],
  ["next-match", "n", "next match", "n"],
  ["previous-match", "N", "previous match", "N"],
  ["next-page", "Tab", "next page", "tab"],
  ["previous-page", "Shift-Tab", "previous page", "shift-tab"],
  ["previous-log", "[", "previous log", "["],
  ["next-log", "]", "next log", "]"],
  ["follow", "f", "follow the log, or stop following", "f"],
  ["help", "?", "list the keys", "?"],
  ["quit", "q, Ctrl-c", "quit", "q"],
] as const).map(([action, shown, text, keys]) => ({
  keys: keys.split(" "),
  shown,
  text,
  action,
}));
